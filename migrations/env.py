"""What Alembic runs for each of its commands, on the connection that it was given."""

from alembic import context

from web.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite copies a table to change it
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
