"""The script that Alembic runs for each of its commands, on the connection passed to it."""

from typing import Any, Literal

from alembic import context
from sqlalchemy.types import TypeDecorator

from web.db.models import Base


def plain_type(kind: str, item: Any, _: object) -> str | Literal[False]:
    """Render our own column types as database types.

    Migration scripts therefore do not import the site.
    """
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{item.impl!r}"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_item=plain_type,
    render_as_batch=True,  # SQLite can change a table only by copying it.
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
