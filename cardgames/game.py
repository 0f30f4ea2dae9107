"""What a game is: the rules of ONE round, as pure functions of a frozen state.

A game says how a round is dealt, which moves it has, how it ends and what the player may see. A new
round knows nothing of the last one but what that leaves on purpose (:meth:`Game.carry`). All that
is the same for every game is the table's: phase and round number, the tally, starting over, the
record of the round, and when all its cards may be shown (:mod:`cardgames.table`).

What a game does not say gets the harmless answer. What it says wrongly is found when it is
registered (:mod:`cardgames.registry`), or by the examination that every registered game must pass
in the tests (``tests/support/examination``).
"""

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property
from typing import Any, Final, Generic, NamedTuple, TypeVar, final

from cardgames.advice import Advisor
from cardgames.cards import Card, Cards, MaskedCards
from cardgames.moves import Action, IllegalMove, Move
from cardgames.text import Text

State = TypeVar("State")
Carry = TypeVar("Carry")
View = TypeVar("View")

PAGE_ONLY: Final = {"page_only": True}
"""The metadata of a view's field that pages show and the JSON does not have."""

KNOWN: Final = {"known": True}
"""The metadata of a carried pile whose cards the player has seen: a record has all of them. Of any
other pile it has the cards that the round turned face up."""


def label(text: str) -> Mapping[str, str]:
    """Return the metadata of a view's field that says what it is called on the plain page.

    >>> label("Left")
    {'label': 'Left'}
    """
    return {"label": text}


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One rule of a table in plain words; ``anchor`` is its place on the rules page."""

    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """An example beside a rule: some cards, or a grid of five by five, and what they are."""

    caption: str
    cards: MaskedCards = ()
    marked: tuple[int, ...] = ()
    """The marked places of a grid, from 0 at the top left, row by row."""

    @classmethod
    def of(cls, caption: str, codes: str) -> "Figure":
        """Return some cards, given by their codes with blanks between; ``?`` lies face down.

        >>> Figure.of("The deal", "AS ?").cards
        (<Card.ACE_OF_SPADES: 'AS'>, None)
        """
        return cls(caption, tuple(None if code == "?" else Card(code) for code in codes.split()))


@dataclass(frozen=True, slots=True)
class Info:
    """What a game says of itself; all of it is checked when the game is registered."""

    slug: str
    """The name in addresses: small letters, digits and dashes."""

    title: str
    """The name on pages."""

    pitch: str
    """One sentence for the lobby."""

    rules: tuple[HouseRule, ...]
    """The rules in plain words, in reading order."""

    winners: Mapping[str, str] = field(default_factory=dict)
    """Whom a round can be won by, and how that is said: the player first, their opponent second, a
    tie last. A game that counts by its players' names leaves it empty and has ``players``."""

    figures: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    """Examples beside the rules, by a rule's anchor."""

    decks: int = 1
    """How many decks of 52 cards are on the table."""

    numbered: bool = True
    """Whether the table counts its rounds for the player to see."""

    reshuffles: bool = False
    """Whether moves shuffle again and again, as in War: then a record has the salt, and not the
    orders that follow from it."""


class AfterRound(Enum):
    """What may follow a round that is over."""

    NEXT_ROUND = auto()
    """The next round."""

    NEW_GAME = auto()
    """The game is over, and another may be dealt."""

    END = auto()
    """The game is over, and the player can only start over."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a round ended."""

    winner: str
    """Who won: one of the game's winners, or of its players."""

    text: str
    """The same in one sentence."""

    rule: str
    """The anchor of the house rule that decided it."""

    then: AfterRound = AfterRound.NEXT_ROUND


class LastMove(NamedTuple):
    """What a table knows of the last move and a game may speak of."""

    round: int
    """The number of the round on the table, from 1."""

    times: int
    """How many single moves the player's last one made."""

    conceded: bool
    """Whether it gave up the round before this one."""


class Game(ABC, Generic[State, Carry, View]):
    """The rules of one round. A game has no state of its own: every method is a question."""

    info: Info

    deals: Move
    """The move that deals a round. It is called ``deal``; its fields are the game's."""

    round_moves: tuple[Move, ...] = ()
    """Every move that a round may have; none where it is over with the deal."""

    empty: View
    """The view of a table where nothing was dealt yet."""

    state_type: type[State]
    """The type that a saved state is validated against: a frozen dataclass without defaults."""

    carry_type: type[Carry] | None = None
    """A frozen dataclass of piles of cards that a round may take over; without one every round is
    dealt from whole decks."""

    may_concede: bool = False
    """Whether the player may deal in the middle of a round, and loses that round by it."""

    advisor: Advisor | None = None
    """Who knows what the decisions are worth, if anybody does."""

    @abstractmethod
    def deal(self, carry: Carry | None, action: Action, rng: random.Random) -> State:
        """Return a new round.

        Args:
            carry: what the last round left (:meth:`carry`); None at the first one.
            action: the deal, with what the player chose in its fields.
            rng: the random numbers for shuffles.

        Raises:
            IllegalMove: what was chosen does not fit, or no round can leave such a carry.
        """

    @abstractmethod
    def result(self, state: State) -> Result | None:
        """Return how the round ended; None while it is open."""

    @abstractmethod
    def view(self, state: State) -> View:
        """Return what the player may see: a frozen dataclass with no place for anything else.

        A card face down is ``None``. A field marked ``PAGE_ONLY`` is left out of the JSON.
        """

    @abstractmethod
    def cards(self, state: State) -> Cards:
        """Return every card of the game wherever it lies, in any order."""

    @abstractmethod
    def seen(self, state: State) -> Cards:
        """Return the cards whose place the player knows, in any order. All others are hidden.

        A card in the view that is missing here is an error when the table is shown. A card that is
        here and was never shown would be disclosed too early by records: the examination of
        registered games finds it.
        """

    def apply(self, state: State, action: Action, rng: random.Random) -> State:
        """Return the round after one single move that is legal in it.

        Raises:
            IllegalMove: what was chosen does not fit.
        """
        raise NotImplementedError(f"{type(self).__name__} has moves, so it needs apply().")

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return those of ``round_moves`` that are legal in an open round: all of them here."""
        return self.round_moves

    def messages(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return what is said about the last move, a sentence each: nothing here."""
        return ()

    def story(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return the same in plain sentences, for a page and to be read aloud.

        How the round ended is left out: :meth:`result` says so.
        """
        return self.messages(state, last)

    def carry(self, state: State) -> Carry | None:
        """Return what a round that is over leaves to the next: nothing here."""
        return None

    def concede(self, state: State) -> State:
        """Return an open round as lost, when the player deals anew (``may_concede``)."""
        raise IllegalMove(Text("A round cannot be given up now."))

    def players(self, state: State) -> tuple[str, ...]:
        """Return whose won rounds are counted, as long as the same play on."""
        return tuple(self.info.winners)

    def progress(self, state: State) -> tuple[int, ...]:
        """Return a number for each player, to be drawn as lines over a long round: none here."""
        return ()

    def winner_text(self, winner: str) -> str:
        """Say who won."""
        return self.info.winners.get(winner, winner)

    def ending_text(self, winner: str, moves: int) -> str:
        """Say how a round ended that is too long to be replayed in a list: who won.

        Args:
            winner: who won.
            moves: how many single moves were made after the deal.
        """
        return self.winner_text(winner)

    @cached_property
    def later_deals(self) -> Move:
        """The move that deals every round but the first: without decks that only that one takes."""
        first_only = {name for name, deck in self.deals.decks.items() if deck.first_only}
        kept = {name: one for name, one in self.deals.fields.items() if name not in first_only}
        return replace(self.deals, fields=kept)

    @final
    def hidden(self, state: State) -> Cards:
        """Return the cards whose place the player does not know."""
        return tuple((Counter(self.cards(state)) - Counter(self.seen(state))).elements())

    @final
    def move(self, name: str) -> Move | None:
        """Return the move of a round, or the deal, by its name."""
        return next((move for move in (self.deals, *self.round_moves) if move.name == name), None)


AnyGame = Game[Any, Any, Any]
"""A game whose state, carry and view are of no interest where it is used."""

NOT_A_TABLE: Final = Text("No table can look like this after a round.")


def impossible_carry() -> IllegalMove:
    """Return the error for a carry that no round can have left."""
    return IllegalMove(NOT_A_TABLE)
