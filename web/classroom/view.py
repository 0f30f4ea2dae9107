"""What a class shows to everybody in it.

A class's state holds the salt that all decks follow from, and a card in play holds the calls that
are still to come. Pages for students and the big screen are made of these views instead: there is
nothing in them that is hidden, so no template and no document can give it away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from cardgames.cards import RANK_WORDS, Card, Cards
from cardgames.class_bingo.card import BingoCard, Kind
from cardgames.class_bingo.results import OneAway
from cardgames.games.bingo.rules import CENTRE, SIDE
from cardgames.text import Text
from web.classroom import words
from web.classroom.state import ClassState, Phase
from web.classroom.updates import asks_every

MAX_NAMES: Final = 12
"""Maximum number of winners that are named; the others are counted."""

SEAL_SHOWN: Final = 16
"""Number of characters of a seal that are shown: enough to compare."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Winners:
    """Those who share a place."""

    place: int
    call: int
    cards: tuple[int, ...]
    names: tuple[str, ...]
    """Their nicknames, in the order of their cards."""


@dataclass(frozen=True)
class RoundView:
    """The newest round of a class, as everybody sees it."""

    number: int
    kind: Kind
    by_hand: bool
    phase: Phase
    calls: int
    called: Cards
    """The cards called, the last one last."""

    left: int
    every: int
    cards: int
    """The number of cards in play."""

    seal: str
    near: OneAway
    winners: tuple[Winners, ...]
    resumed_at_call: int
    reason: str
    """Why it is void."""

    salt: str
    """Empty while it is on."""

    @property
    def is_open(self) -> bool:
        """Whether it is still on."""
        return self.phase in ("playing", "bingo")

    @property
    def last(self) -> Card | None:
        """The last call."""
        return self.called[-1] if self.called else None

    @property
    def kind_text(self) -> Text:
        """What kind of round it is, as a heading says it."""
        return kind_text(self.kind)

    @property
    def sentence_kind(self) -> Text:
        """The same within a sentence."""
        mode = words.PATTERNS[self.kind.mode]
        return Text("{mode}, speed", mode=mode) if self.kind.speed else mode

    @property
    def hand_text(self) -> Text:
        """Who covers the cards."""
        return Text("by hand") if self.by_hand else Text("automatic")

    @property
    def short_seal(self) -> str:
        """The beginning of the seal, in groups of four."""
        return short_seal(self.seal)

    @cached_property
    def winners_text(self) -> str:
        """Who had BINGO! last, and at which call."""
        if not self.winners:
            return ""
        newest = self.winners[-1]
        names = names_text(newest.names)
        if len(newest.names) == 1:
            return Text("{names} has BINGO! at call {call}.", names=names, call=newest.call)
        return Text("{names} have BINGO! at call {call}.", names=names, call=newest.call)

    @property
    def over_text(self) -> str:
        """What became of it; empty while it is on."""
        if self.is_open:
            return ""
        if self.phase == "void":
            return Text("Round {number} is void.", number=self.number)
        if not self.winners:
            return Text("Round {number} is over: nobody had BINGO!", number=self.number)
        return Text(
            "Round {number} is over: {names}, at call {call}.",
            number=self.number,
            names=names_text(self.winners[0].names),
            call=self.winners[0].call,
        )


@dataclass(frozen=True)
class ClassView:
    """A class as everybody in it sees it."""

    code: str
    title: str
    version: str
    """What changes whenever a student's page does."""

    every: int
    """After how many seconds a page asks whether there is anything new."""

    nicknames: str
    real: str
    days: int
    takes_new: bool
    is_closed: bool
    round: RoundView | None
    """The newest, whether it is on or over."""

    @property
    def live(self) -> RoundView | None:
        """The round that is on."""
        return self.round if self.round and self.round.is_open else None


def class_view(state: ClassState) -> ClassView:
    """Return a class as everybody in it sees it."""
    classroom = state.classroom
    return ClassView(
        code=state.code,
        title=classroom.title,
        version=state.version,
        every=asks_every(state.counters),
        nicknames=classroom.nicknames,
        real=classroom.real,
        days=classroom.days,
        takes_new=not (classroom.locked or classroom.closed),
        is_closed=classroom.closed,
        round=round_view(state),
    )


def round_view(state: ClassState) -> RoundView | None:
    """Return the newest round as everybody sees it."""
    live = state.round
    if live is None:
        return None
    return RoundView(
        number=live.data.number,
        kind=live.data.kind,
        by_hand=live.data.by_hand,
        phase=live.phase,
        calls=live.calls,
        called=live.called,
        left=live.left,
        every=live.every,
        cards=len(live.cards_in_play),
        seal=live.seal,
        near=live.one_away,
        winners=tuple(
            Winners(one.place, one.call, one.cards, tuple(map(state.name_of, one.cards)))
            for one in live.places
        ),
        resumed_at_call=live.data.resumed_at_call,
        reason=live.data.reason,
        salt="" if live.is_open else live.data.secret,
    )


# ---- Cards as grids ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tile:
    """A position of a card."""

    place: int
    card: Card | None
    """``None`` for the free centre."""

    covered: bool
    called: bool = False
    """Whether the last call covers it; not shown where cards are covered by hand."""

    needed: bool = False
    """Whether it is all that a pattern lacks, or what an answer has named."""

    winning: bool = False

    @property
    def rank(self) -> str:
        """Its rank, for a list in which the suit stands above."""
        return RANK_WORDS[self.card.rank] if self.card else ""

    @property
    def where(self) -> Text:
        """Its row and column."""
        return words.place_text(self.place)


def in_rows(places: Sequence[T]) -> tuple[tuple[T, ...], ...]:
    """Return the places of a grid row by row."""
    return tuple(tuple(places[start : start + SIDE]) for start in range(0, len(places), SIDE))


def tile_rows(card: BingoCard, calls: int) -> tuple[tuple[Tile, ...], ...]:
    """Return a card after a number of calls, as it is shown to others than its student."""
    covered, winning = card.covered(calls), card.winning(calls)
    tiles = [
        Tile(place, None if place == CENTRE else one, place in covered, winning=place in winning)
        for place, one in enumerate(card.grid)
    ]
    return in_rows(tiles)


# ---- Sentences -----------------------------------------------------------------------------------


def kind_text(kind: Kind) -> Text:
    """Return what kind of round it is, as a heading says it."""
    mode = words.MODES[kind.mode]
    return Text("{mode}, speed", mode=mode) if kind.speed else mode


def names_text(names: Sequence[str]) -> str:
    """Return names one after the other; from the thirteenth on they are counted."""
    more = len(names) - MAX_NAMES
    if more <= 0:
        return words.listed(names)
    return words.AND_MORE.fill(first=", ".join(names[:MAX_NAMES]), number=more)


def short_seal(seal: str) -> str:
    """Return the beginning of a seal, in groups of four.

    >>> short_seal("5f0c91d47be20a6f" + 48 * "0")
    '5f0c 91d4 7be2 0a6f'
    """
    return " ".join(seal[start : start + 4] for start in range(0, SEAL_SHOWN, 4))
