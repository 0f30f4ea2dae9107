"""The base of all tables, players' sessions and their finished rounds."""

from typing import Any, ClassVar

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SID: String = String(32)
"""The type of a session's id."""

SLUG: String = String(32)
"""The type of a game's name in addresses."""


class Base(DeclarativeBase):
    """What all tables have in common."""

    type_annotation_map: ClassVar[Any] = {int: BigInteger}  # a number of seconds outgrows 32 bits


class SavedSession(Base):
    """A player's session, as Flask-Session keeps it: their tables among what else is in it."""

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(SID, primary_key=True)
    data: Mapped[bytes]
    """The session's values, packed; a table at play is one of them."""

    moves: Mapped[int]
    """How often it was saved: one that has hardly begun gives way when the database is full."""

    days: Mapped[int]
    """How long it lives after it was last saved."""

    expires: Mapped[int] = mapped_column(index=True)
    """When it ends, in seconds since 1970."""


class Round(Base):
    """A finished round of a player's table: the line of text that it can be replayed from."""

    __tablename__ = "rounds"
    __table_args__ = (
        Index("rounds_of_deals", "deal", "session_id"),
        {"sqlite_with_rowid": False},
    )

    # Deferred: a newcomer's session is written at the end of the request.
    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        primary_key=True,
    )
    game: Mapped[str] = mapped_column(SLUG, primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """Counts up within a session's table, and is never used again."""

    finished: Mapped[int]
    """When, in seconds since 1970."""

    record: Mapped[str]
    """The record (:mod:`cardgames.records.line`)."""

    result: Mapped[str] = mapped_column(String(200))
    """Who won, as the table's tally names them."""

    deal: Mapped[str] = mapped_column(String(40))
    """The deal link that it was played from; empty for none."""

    table_id: Mapped[bytes]
    """At which table it was played: one that could not be read any more had another id."""

    table_round: Mapped[int]
    """Which of the rounds finished at that table it was."""

    step: Mapped[int]
    """How many moves the table had accepted when it was over."""
