"""The base class of all models, and the models of sessions and finished rounds."""

from typing import Any, ClassVar

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SID: String = String(32)
"""The column type for a session ID."""

SLUG: String = String(32)
"""The column type for a game's slug."""


class Base(DeclarativeBase):
    """The base class of all tables."""

    type_annotation_map: ClassVar[Any] = {
        int: BigInteger
    }  # Seconds since 1970 exceed 32 bits in 2038.


class SavedSession(Base):
    """A player's session, which contains the player's open tables."""

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(SID, primary_key=True)
    data: Mapped[bytes]
    """The values of the session in msgpack."""

    moves: Mapped[int]
    """The number of saves. Sessions with few saves are evicted first if the database is full."""

    days: Mapped[int]
    """Lifetime in days, from the last save."""

    expires: Mapped[int] = mapped_column(index=True)
    """Expiry in seconds since 1970."""


class Round(Base):
    """A player's finished round."""

    __tablename__ = "rounds"
    __table_args__ = (
        Index("rounds_of_deals", "deal", "session_id"),
        {"sqlite_with_rowid": False},
    )

    # This foreign key is checked at the commit (DEFERRED), because a new player's session is
    # written at the end of the request.
    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        primary_key=True,
    )
    game: Mapped[str] = mapped_column(SLUG, primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """The round's number within the session and the game, which is never reused."""

    finished: Mapped[int]
    """The time of the round's end, in seconds since 1970."""

    record: Mapped[str]
    """The record (:mod:`cardgames.records.line`), from which the round can be replayed."""

    result: Mapped[str] = mapped_column(String(200))
    """The winner, as named in the table's tally."""

    deal: Mapped[str] = mapped_column(String(40))
    """The ID of the round's deal link, or an empty string."""

    table_id: Mapped[bytes]
    """The ID of the table. The ID changes when the table cannot be read."""

    table_round: Mapped[int]
    """The round's number among the finished rounds of its table."""

    step: Mapped[int]
    """The table's step number when the round ended."""
