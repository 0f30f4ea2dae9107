"""steps of a class."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Change the tables."""
    # Not in a batch: that makes the table anew, and what hangs on a class goes with the old one.
    op.execute("ALTER TABLE classes RENAME COLUMN version TO step")
