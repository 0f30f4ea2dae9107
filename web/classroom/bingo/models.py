"""The tables of a Bingo round's cards and claims, which are deleted with the round."""

from typing import NamedTuple

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint, case, select
from sqlalchemy.orm import Mapped, column_property, mapped_column

from web.classroom.core.models import CODE, Classroom, Student, is_theirs
from web.db.models import Base


def of_round() -> ForeignKeyConstraint:
    """Return the foreign key that deletes a row together with its round."""
    return ForeignKeyConstraint(
        ["class_code", "round"], ["class_rounds.class_code", "class_rounds.number"],
        ondelete="CASCADE",
    )  # fmt: skip


class PlayedCard(Base):
    """A student's card in a round. The row remains when the student is deleted.

    If the student leaves the class, another student can get the card, in a separate row. When the
    round ends, only the rows of cards in play remain.
    """

    __tablename__ = "class_cards"
    __table_args__ = (
        of_round(),
        # A covering index, because SQLite would otherwise scan all cards of the class.
        Index("cards_of_students", "class_code", "student", "round", "from_call", "rank"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    card: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    """The ID of the card's student, who may have left, or 0 for a paper card."""

    from_call: Mapped[int | None]
    """The number of called cards when the card came into play, or None if it is out of play."""

    rank: Mapped[int | None]
    """The place that the card won, counted from 1, or None."""

    rank_call: Mapped[int | None]


Student.card = column_property(
    select(case((PlayedCard.from_call.is_(None), 0), else_=PlayedCard.card))
    .where(
        is_theirs(PlayedCard),
        *(PlayedCard.class_code == Classroom.code, PlayedCard.round == Classroom.round_number),
    )
    .correlate_except(PlayedCard, Classroom)
    .scalar_subquery()
)


class BingoClaim(Base):
    """A claim in a round. Each card has at most one claim per call."""

    __tablename__ = "class_claims"
    __table_args__ = (
        of_round(),
        UniqueConstraint("class_code", "round", "card", "call"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """A round's claims in order of arrival."""

    student: Mapped[int]
    """The ID of the student, who may have left, or 0 for a paper card."""

    card: Mapped[int]
    call: Mapped[int]
    resumptions: Mapped[int]
    since: Mapped[int]


class CardInPlay(NamedTuple):
    """A card that is in play, or was in play when its round ended."""

    card: int
    student: int
    """The ID of the card's student, who may have left, or 0 for a paper card."""

    from_call: int
    """The number of called cards when the card came into play."""

    name: str
    """The student's nickname. It is empty for a paper card, or if the student left or stepped out.
    """

    rank: int | None = None
    """The place that the card won, counted from 1, or None."""

    rank_call: int | None = None
