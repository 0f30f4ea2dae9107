"""the cards that browsers had."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "class_cards_had",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("card", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "round"],
            ["class_rounds.class_code", "class_rounds.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("class_code", "round", "browser"),
    )
