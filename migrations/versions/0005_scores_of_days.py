"""scores of days."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "daily_scores",
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("day", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.id"],
            ondelete="CASCADE",
            deferrable=True,
            initially="DEFERRED",
        ),
        sa.PrimaryKeyConstraint("session_id", "day"),
        sqlite_with_rowid=False,
    )
    op.create_index("scores_of_days", "daily_scores", ["day", "cost"])
    op.create_table(
        "student_dailies",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "student", "day"),
        sqlite_with_rowid=False,
    )
    op.create_index("dailies_of_days", "student_dailies", ["class_code", "day"])
