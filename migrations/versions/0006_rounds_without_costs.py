"""rounds without costs."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Change the tables."""
    # What a decision has cost follows from the round's record. Not in a batch: that makes the table
    # anew, row by row.
    op.drop_column("rounds", "costs")


def downgrade() -> None:
    """Change them back."""
    op.add_column("rounds", sa.Column("costs", sa.JSON(), nullable=True))
