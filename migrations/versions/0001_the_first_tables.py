"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "classes",
        sa.Column("code", sa.String(length=5), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("changes", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.String(length=60), nullable=False),
        sa.Column("nicknames", sa.String(length=8), nullable=False),
        sa.Column("real", sa.String(length=8), nullable=False),
        sa.Column("limit", sa.BigInteger(), nullable=False),
        sa.Column("days", sa.BigInteger(), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("opener", sa.String(length=64), nullable=False),
        sa.Column("show", sa.String(length=10), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("standings", sa.BigInteger(), nullable=False),
        sa.Column("drill_table", sa.String(length=32), nullable=False),
        sa.Column("drill_habit", sa.String(length=40), nullable=False),
        sa.Column("roster", sa.JSON(), nullable=False),
        sa.Column("round_number", sa.BigInteger(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("claims", sa.BigInteger(), nullable=False),
        sa.Column("right", sa.BigInteger(), nullable=False),
        sa.Column("called", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("every", sa.BigInteger(), nullable=False),
        sa.Column("stop", sa.BigInteger(), nullable=False),
        sa.Column("next_card", sa.BigInteger(), nullable=False),
        sa.Column("joined", sa.BigInteger(), nullable=False),
        sa.Column("members", sa.BigInteger(), nullable=False),
        sa.Column("vote_phase", sa.String(length=6), nullable=False),
        sa.Column("has_vote", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("code"),
    )
    with op.batch_alter_table("classes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_classes_expires"), ["expires"], unique=False)

    op.create_table(
        "deals",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("seeded", sa.Boolean(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("day", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("deals", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deals_expires"), ["expires"], unique=False)

    op.create_table(
        "password_guesses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("moves", sa.BigInteger(), nullable=False),
        sa.Column("days", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sessions_expires"), ["expires"], unique=False)

    op.create_table(
        "signing_keys",
        sa.Column("fingerprint", sa.String(length=16), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint"),
    )
    op.create_table(
        "class_dashboards",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("link", sa.String(length=64), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("used", sa.Double(), nullable=False),
        sa.Column("label", sa.String(length=40), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["class_code"], ["classes.code"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("class_code", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "class_rounds",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column(
            "mode", sa.Enum("L", "C", "F", name="mode", native_enum=False, length=8), nullable=False
        ),
        sa.Column("speed", sa.Boolean(), nullable=False),
        sa.Column("by_hand", sa.Boolean(), nullable=False),
        sa.Column("salt", sa.String(length=32), nullable=False),
        sa.Column("began", sa.Double(), nullable=False),
        sa.Column("every", sa.BigInteger(), nullable=False),
        sa.Column("paper", sa.BigInteger(), nullable=False),
        sa.Column("resumptions", sa.BigInteger(), nullable=False),
        sa.Column("resumed_at_call", sa.BigInteger(), nullable=False),
        sa.Column("void", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=80), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=True),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.Column("dealt", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["class_code"], ["classes.code"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("class_code", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "instructor_links",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("class_code", sa.String(length=5), nullable=True),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["class_code"], ["classes.code"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "rounds",
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("finished", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.String(), nullable=False),
        sa.Column("result", sa.String(length=200), nullable=False),
        sa.Column("costs", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("deal", sa.String(length=40), nullable=False),
        sa.Column("table_id", sa.LargeBinary(), nullable=False),
        sa.Column("table_round", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.id"],
            ondelete="CASCADE",
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("session_id", "game", "number"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("rounds", schema=None) as batch_op:
        batch_op.create_index("rounds_of_deals", ["deal", "session_id"], unique=False)

    op.create_table(
        "students",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=24), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("offered", sa.Boolean(), nullable=False),
        sa.Column("real_name", sa.String(length=80), nullable=False),
        sa.Column("joined", sa.Double(), nullable=False),
        sa.Column("state", sa.String(length=6), nullable=False),
        sa.Column("renamed", sa.Double(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("wrong_codes", sa.JSON(), nullable=False),
        sa.Column("marks_round", sa.BigInteger(), nullable=False),
        sa.Column("marks", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("seen_at", sa.String(length=40), nullable=False),
        sa.Column("rounds", sa.BigInteger(), nullable=False),
        sa.Column("won", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["class_code"], ["classes.code"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("class_code", "number"),
        sa.UniqueConstraint("class_code", "name_key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tournaments",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("ranking", sa.String(length=6), nullable=False),
        sa.Column("screen", sa.String(length=6), nullable=False),
        sa.Column("opens", sa.Double(), nullable=False),
        sa.Column("due", sa.Double(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("points", sa.String(length=3), nullable=False),
        sa.Column("about", sa.String(length=40), nullable=False),
        sa.Column("skips", sa.JSON(), nullable=False),
        sa.Column("costs", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["class_code"], ["classes.code"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("class_code", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "votes",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("ballot", sa.SmallInteger(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("has_bars", sa.Boolean(), nullable=False),
        sa.Column("is_solved", sa.Boolean(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("better", sa.BigInteger(), nullable=False),
        sa.Column("worse", sa.BigInteger(), nullable=False),
        sa.Column("twice", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["class_code"], ["classes.code"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("class_code", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "class_browsers",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "key"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("class_browsers", schema=None) as batch_op:
        batch_op.create_index("browsers_of_students", ["class_code", "student"], unique=False)

    op.create_table(
        "class_cards",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("card", sa.BigInteger(), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("from_call", sa.BigInteger(), nullable=False),
        sa.Column("rank", sa.BigInteger(), nullable=True),
        sa.Column("rank_call", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["class_code", "round"],
            ["class_rounds.class_code", "class_rounds.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "round", "card"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("class_cards", schema=None) as batch_op:
        batch_op.create_index(
            "cards_of_students",
            ["class_code", "student", "round", "from_call", "rank"],
            unique=False,
        )

    op.create_table(
        "class_claims",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("card", sa.BigInteger(), nullable=False),
        sa.Column("call", sa.BigInteger(), nullable=False),
        sa.Column("resumptions", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "round"],
            ["class_rounds.class_code", "class_rounds.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "round", "number"),
        sa.UniqueConstraint("class_code", "round", "card", "call"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "class_late_cards",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("card", sa.BigInteger(), nullable=False),
        sa.Column("from_call", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "round"],
            ["class_rounds.class_code", "class_rounds.number"],
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "round", "student"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "shown_sheets",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("sheet", sa.String(length=32), nullable=False),
        sa.Column("passed", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "student", "sheet"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "student_days",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("rounds", sa.BigInteger(), nullable=False),
        sa.Column("won", sa.BigInteger(), nullable=False),
        sa.Column("decisions", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.Column("squares", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "student", "game", "day"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "student_mistakes",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("chosen", sa.String(length=4), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("soft", sa.Boolean(), nullable=False),
        sa.Column("upcard", sa.String(length=1), nullable=False),
        sa.Column("times", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.Column("worst", sa.Double(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "class_code", "student", "game", "day", "chosen", "total", "soft", "upcard"
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tournament_browsers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("tournament", sa.BigInteger(), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("deals", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "tournament"],
            ["tournaments.class_code", "tournaments.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("class_code", "tournament", "browser"),
    )
    with op.batch_alter_table("tournament_browsers", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_tournament_browsers_expires"), ["expires"], unique=False
        )

    op.create_table(
        "tournament_plays",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("tournament", sa.BigInteger(), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("deal", sa.BigInteger(), nullable=False),
        sa.Column("moves", sa.String(), nullable=False),
        sa.Column("winner", sa.String(length=20), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["class_code", "tournament"],
            ["tournaments.class_code", "tournaments.number"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("class_code", "tournament", "student", "deal"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("tournament_plays", schema=None) as batch_op:
        batch_op.create_index("plays_of_students", ["class_code", "student"], unique=False)

    op.create_table(
        "vote_answers",
        sa.Column("class_code", sa.String(length=5), nullable=False),
        sa.Column("vote", sa.BigInteger(), nullable=False),
        sa.Column("student", sa.BigInteger(), nullable=False),
        sa.Column("ballot", sa.SmallInteger(), nullable=False),
        sa.Column("choice", sa.String(length=4), nullable=False),
        sa.Column("sure", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_code", "student"],
            ["students.class_code", "students.number"],
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["class_code", "vote"], ["votes.class_code", "votes.number"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("class_code", "vote", "student", "ballot"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("vote_answers", schema=None) as batch_op:
        batch_op.create_index("answers_of_students", ["class_code", "student"], unique=False)
