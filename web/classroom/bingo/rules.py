"""The current state of a class Bingo round: its calls, winners and texts.

The state contains the salt from which all decks are derived. Everyone may see its properties and
:func:`round_document`, but only the owners of cards may see ``round`` and its cards.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple, TypeVar

from cardgames.cards import DECK_SIZE, Card, Cards
from cardgames.class_bingo.card import BingoCard, Kind, salted_card
from cardgames.class_bingo.decks import calling_deck
from cardgames.class_bingo.results import (
    Claim,
    OneAway,
    Place,
    claimed_places,
    judge,
    one_away,
    places,
    stop_call,
)
from cardgames.games.bingo.rules import CENTRE, SIDE
from cardgames.text import Text
from web.classroom.bingo.models import CardInPlay
from web.classroom.core import words
from web.classroom.core.models import BingoRound, Classroom, Student

MAX_NAMES: Final = 12
"""Maximum number of winners that are named. The other winners are only counted."""

_IN_BINGO: Final = Text("in the BINGO!")
_COVERED: Final = Text("covered")
_ONE_AWAY: Final = Text("one away")

T = TypeVar("T")
RoundPhase = Literal["playing", "bingo", "over", "void"]


@dataclass(frozen=True)
class LiveBingo:
    """The current state of the newest round of a class."""

    round: BingoRound
    phase: RoundPhase
    calls: int
    """The number of called cards."""

    every: int
    """The interval of the clock, in seconds, or 0 if a person calls or calling has ended."""

    cards: Mapping[int, CardInPlay]
    """The cards in play, keyed by number, in ascending order."""

    claims: tuple[Claim, ...]

    @property
    def is_open(self) -> bool:
        """Whether the round is open."""
        return self.phase in ("playing", "bingo")

    @cached_property
    def called(self) -> Cards:
        """The called cards in the order of the calls."""
        return calling_deck(self.round.salt)[: self.calls]

    @property
    def last(self) -> Card | None:
        """The last call."""
        return self.called[-1] if self.called else None

    @property
    def left(self) -> int:
        """The number of cards left to call."""
        return DECK_SIZE - self.calls

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the cards in play, in ascending order."""
        return tuple(self.cards)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The numbers of the cards with BINGO!"""
        if self.round.ended is not None:
            return final_places(self.cards.values())
        if self.round.by_hand:
            return claimed_places([claim for claim in self.claims if claim.card in self.cards])
        return _places(self.round.salt, self.round.kind, self.numbers, self.calls)

    @cached_property
    def one_away(self) -> OneAway:
        """The number of calls until the next BINGO!"""
        return _one_away(self.round.salt, self.round.kind, self.numbers, self.calls)

    def find_card(self, student: Student) -> BingoCard | None:
        """Return a student's card, or None."""
        number = student.number
        for held in self.cards.values():
            if held.student == number:
                return self.round.card(held.card)
        return None

    def find_claim(self, card: int, call: int | None = None) -> Claim | None:
        """Return a card's correct claim, optionally at a given call, or None."""
        for claim in self.claims:
            if claim.card == card and (claim.right if call is None else claim.call == call):
                return claim
        return None

    def stop_after(self, call: int, numbers: Iterable[int] | None = None) -> int:
        """Return the next call at which one of the given cards has BINGO!

        By default, all cards in play are considered.
        """
        return stop_call(map(self.round.card, self.numbers if numbers is None else numbers), call)

    def holder_name(self, card: int) -> str:
        """Return the nickname of a card's student."""
        held = self.cards.get(card)
        if held is None or not held.student:
            return Text("Paper card {number}", number=card)
        return held.name or Text("A student who has left")

    def names_at(self, place: Place) -> list[str]:
        """Return the nicknames of students who share a place, in the order of their cards."""
        return [self.holder_name(card) for card in place.cards]

    def names_text(self, place: Place) -> str:
        """Return the nicknames of students who share a place, as part of a sentence."""
        return words.listed(self.names_at(place), MAX_NAMES)

    @property
    def kind_text(self) -> Text:
        """The kind of the round, as a heading."""
        return words.kind_text(self.round.kind)

    @property
    def sentence_kind(self) -> Text:
        """The kind of the round, within a sentence."""
        return words.kind_text(self.round.kind, words.PATTERNS)

    @property
    def hand_text(self) -> Text:
        """The method by which cards are covered."""
        return Text("by hand") if self.round.by_hand else Text("automatic")

    @property
    def winners_text(self) -> str:
        """The players who got the last BINGO!, and its call."""
        if not self.places:
            return ""
        newest = self.places[-1]
        names = self.names_text(newest)
        if len(newest.cards) == 1:
            return Text("{names} has BINGO! at call {call}.", names=names, call=newest.call)
        return Text("{names} have BINGO! at call {call}.", names=names, call=newest.call)

    @property
    def over_text(self) -> str:
        """The result of the round, or an empty string while the round is open."""
        number = self.round.number
        if self.is_open:
            return ""
        if self.phase == "void":
            return Text("Round {number} is void.", number=number)
        if not self.places:
            return Text("Round {number} has ended: no one had BINGO!", number=number)
        return Text(
            "Round {number} has ended: {names}, at call {call}.",
            number=number,
            names=self.names_text(self.places[0]),
            call=self.places[0].call,
        )


class Outcome(NamedTuple):
    """The end of a round, as seen by one student."""

    text: str
    is_won: bool


def student_outcome(live: LiveBingo, student: Student) -> Outcome | None:
    """Return the end of a round for a student, or None if the round is open or void."""
    if not live.over_text or live.phase == "void":
        return None
    over, card = live.over_text, live.find_card(student)
    if card is None:
        return Outcome(over, is_won=False)
    number = live.round.number
    for place in live.places:
        if card.number in place.cards:
            template = Text("Round {number}: BINGO! Place {place}, at call {call}.")
            text = template.fill(number=number, place=place.place, call=place.call)
            return Outcome(text, is_won=True)
    if card.needed(live.calls):
        return Outcome(Text("{result} You were one card away.", result=over), is_won=False)
    return Outcome(over, is_won=False)


def build_open_state(
    classroom: Classroom,
    stored: BingoRound,
    cards: Mapping[int, CardInPlay],
    claims: tuple[Claim, ...],
) -> LiveBingo:
    """Return the current state of an open round with the given cards and claims."""
    live = LiveBingo(stored, "playing", classroom.calls, classroom.every, cards, claims)
    if stored.by_hand:
        is_bingo = classroom.right > 0
    else:
        is_bingo = any(place.call > stored.resumed_at_call for place in live.places)
    return replace(live, phase="bingo") if is_bingo else live


def number_held(student: Student) -> int:
    """Return the number of a student's card in the open round, or 0 without a card."""
    return (student.card or 0) if student.state == "in" else 0


def has_card(classroom: Classroom, student: Student) -> bool:
    """Return whether a student has a card in an open round."""
    return classroom.open_round is not None and number_held(student) > 0


def may_take_card(classroom: Classroom, student: Student) -> bool:
    """Return whether a student may get a first card in an open round."""
    if student.card is not None or student.state != "in":
        return False
    return classroom.open_round is not None and classroom.calls < DECK_SIZE


def evaluate_claim(live: LiveBingo, card: BingoCard, named: int) -> Claim:
    """Return a claim of BINGO! at the call that the student's page shows.

    A card has at most one claim per call, and none after a correct claim. For a repeated claim, the
    function returns the saved claim.
    """
    claim = judge(card, named, live.calls, live.round.resumptions)
    for earlier in live.claims:
        if earlier.card == card.number and (earlier.right or earlier.call in (named, claim.call)):
            return earlier
    return claim


def placed_cards(live: LiveBingo) -> list[CardInPlay]:
    """Return the cards in play with the places that they won."""
    cards_by_number = dict(live.cards)
    for place in live.places:
        for card in place.cards:
            cards_by_number[card] = cards_by_number[card]._replace(
                rank=place.place, rank_call=place.call
            )
    return [*cards_by_number.values()]


def final_places(cards: Iterable[CardInPlay]) -> tuple[Place, ...]:
    """Return the winners of a finished round."""
    won: dict[tuple[int, int], list[int]] = {}
    for card in cards:
        if card.rank is not None:
            won.setdefault((card.rank, card.rank_call or 0), []).append(card.card)
    return tuple(Place(rank, call, tuple(numbers)) for (rank, call), numbers in sorted(won.items()))


def round_document(live: LiveBingo | None) -> dict[str, Any] | None:
    """Return the newest round as JSON, with only the values that everyone may see."""
    if live is None:
        return None
    stored, near = live.round, live.one_away
    kind = {name: getattr(stored, name) for name in ("number", "mode", "speed", "by_hand")}
    now = {name: getattr(live, name) for name in ("phase", "called", "left", "every")}
    students, cards = near.cards_in_play, len(near.ending)
    document: dict[str, Any] = {
        **kind,
        **now,
        "one_away": {"students": students, "cards": cards, "chance": near.chance},
        "places": [
            {"place": place.place, "call": place.call, "names": live.names_at(place)}
            for place in live.places
        ],
    }
    return document | {"reason": stored.reason} if live.phase == "void" else document


# ---- The drawing of a card -----------------------------------------------------------------------


class Tile(NamedTuple):
    """A position on a card."""

    position: int
    card: Card | None
    """The card at the position, or ``None`` for the free centre."""

    covered: bool
    called: bool
    """Whether the last call covers the position. It is False if students cover their cards by hand.
    """

    look: str
    """The position's CSS classes: covered, missing or winning."""

    note: str
    """The position's state for screen readers, or an empty string."""

    @property
    def rank(self) -> str:
        """The card's rank, for a list in which cards are grouped by suit."""
        return self.card.rank.text if self.card else ""

    @property
    def place_text(self) -> Text:
        """The position's row and column."""
        return words.position_text(self.position)


def tile_rows(
    card: BingoCard,
    covered: Collection[int],
    winning: Collection[int],
    needed: Collection[Card] = (),
    last: int = 0,
    *,
    is_over: bool = False,
) -> tuple[tuple[Tile, ...], ...]:
    """Return the rows of a card, with its covered positions and its BINGO! marked.

    The missing cards and the last called card are also marked, unless the card has BINGO! or the
    round has ended.
    """
    is_over, tiles = is_over or bool(winning), []
    for position, grid_card in enumerate(card.grid):
        wins, is_covered = position in winning, position in covered
        is_called = last > 0 and card.covered_by[position] == last
        is_free = position == CENTRE
        is_needed = not (is_covered or is_free) and grid_card in needed
        look = "tile free" if is_free else "tile"
        look += " win" if wins else " covered" if is_covered else ""
        if is_over:
            look += "" if wins else " spent" if is_covered else " dim"
        else:
            look += " new" * is_called + " need" * is_needed
        note = _IN_BINGO if wins else _COVERED if is_covered else _ONE_AWAY if is_needed else ""
        tile_card = None if is_free else grid_card
        tiles.append(Tile(position, tile_card, is_covered, is_called, look, note))
    return in_rows(tiles)


def in_rows(grid: Sequence[T]) -> tuple[tuple[T, ...], ...]:
    """Return the positions of a grid row by row."""
    return tuple(tuple(grid[start : start + SIDE]) for start in range(0, len(grid), SIDE))


# All phones request their pages after the same call, so the server computes each value only once.
# Without the cache of _one_away, rendering a phone's page takes 65% longer in a class of 60.
# Without the cache of _places, it takes 7% longer in a class of 60, and 15% longer in a class of
# 400.


@lru_cache(512)
def _one_away(salt: str, kind: Kind, numbers: tuple[int, ...], calls: int) -> OneAway:
    return one_away((salted_card(salt, number, kind) for number in numbers), calls)


@lru_cache(512)
def _places(salt: str, kind: Kind, numbers: tuple[int, ...], calls: int) -> tuple[Place, ...]:
    return places((salted_card(salt, number, kind) for number in numbers), calls)


class BestPlayer(NamedTuple):
    """A student's place at class Bingo.

    Students who won the same number of rounds share a place.
    """

    rank: int
    name: str
    won: int

    def document(self) -> dict[str, Any]:
        """Return the place as JSON."""
        return {"place": self.rank, "name": self.name, "won": self.won}


def best_players(
    students: Iterable[Student], won: Mapping[int, int] | None = None
) -> Iterator[BestPlayer]:
    """Yield the given students who won at Bingo, in descending order of rounds won.

    Args:
        students: The students to rank.
        won: The number of rounds that each student won; by default, all stored rounds are counted.
    """
    winners = [
        (won.get(student.number, 0) if won is not None else student.won, student.name)
        for student in students
    ]
    ranked = sorted(filter(itemgetter(0), winners), key=itemgetter(0), reverse=True)
    counts = [rounds for rounds, _ in ranked]
    for rounds, name in ranked:
        yield BestPlayer(1 + counts.index(rounds), name, rounds)
