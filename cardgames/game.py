"""The definition of a game: the rules of ONE round, as pure functions of a frozen state.

A game defines how a round is dealt, which moves it has, how it ends and what the player may see. A
round depends on the previous round only through the cards that are passed to it
(:meth:`Game.carry`). The table (:mod:`cardgames.table`) handles everything that is common to all
games: the phase and round number, the tally, starting over, the record of the round, and the time
when all its cards may be shown.

Every optional part of a definition has a safe default. Invalid metadata is reported on registration
(:mod:`cardgames.registry`). Other mistakes are reported by the shared tests that every registered
game must pass (``tests/support/examination``).
"""

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
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
"""Metadata that marks a view's field as shown on pages but omitted from the JSON."""

KNOWN: Final = {"known": True}
"""Metadata that marks a carried pile as seen by the player, so that a record contains all of the
pile's cards. If a pile lacks this metadata, a record contains only its face-up cards.
"""


def public_fields(view_type: Any) -> tuple[str, ...]:
    """Return the JSON names of a view's fields.

    These are all fields except ``PAGE_ONLY``.
    """
    return tuple(field.name for field in fields(view_type) if not field.metadata.get("page_only"))


def label(text: str) -> Mapping[str, str]:
    """Return the metadata for a view's field that the plain page shows with a label.

    >>> label("Left")
    {'label': 'Left'}
    """
    return {"label": text}


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One rule of a table in plain words.

    ``anchor`` is the URL fragment of the rule on the rules page.
    """

    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """An example of a rule: some cards or a five-by-five grid, with a caption."""

    caption: str
    cards: MaskedCards = ()
    marked: tuple[int, ...] = ()
    """The marked positions of a grid, numbered row by row from 0 at the top left."""

    @classmethod
    def of(cls, caption: str, codes: str) -> "Figure":
        """Return a figure of the cards whose codes are given, separated by spaces.

        The code ``?`` is a face-down card.

        >>> Figure.of("The deal", "AS ?").cards
        (<Card.ACE_OF_SPADES: 'AS'>, None)
        """
        return cls(caption, tuple(None if code == "?" else Card(code) for code in codes.split()))


@dataclass(frozen=True, slots=True)
class Info:
    """The metadata of a game, validated when the game is registered."""

    slug: str
    """The name in URLs: lower-case letters, digits and dashes."""

    title: str
    """The title of the game on pages."""

    pitch: str
    """A one-sentence description for the lobby."""

    rules: tuple[HouseRule, ...]
    """The rules in plain words, in the order of the rules page."""

    winners: Mapping[str, str] = field(default_factory=dict)
    """The possible winners, with their labels: the player, the opponent or a tie. The mapping is
    empty for a game that counts wins by its players' names and defines ``players``.
    """

    figures: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    """Examples of the rules, keyed by the anchor of the rule."""

    decks: int = 1
    """The number of decks of 52 cards on the table."""

    numbered: bool = True
    """Whether the player sees the number of the round."""

    reshuffles: bool = False
    """Whether moves shuffle cards, as in War. If so, a record contains the salt instead of the
    derived orders of the cards.
    """

    short: str = ""
    """A shorter title for narrow screens, or an empty string."""

    template: str = ""
    """The name of the page's template, if several games share it. The default is the slug."""


class AfterRound(Enum):
    """The ways to continue after a finished round."""

    NEXT_ROUND = auto()
    """The player may deal the next round."""

    NEW_GAME = auto()
    """The game has ended, and the player may deal another game."""

    END = auto()
    """The game has ended, and the player can only start over."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a round."""

    winner: str
    """The winner: one of the game's winners or players."""

    text: str
    """The message about the result."""

    rule: str
    """The anchor of the house rule that decided the round."""

    then: AfterRound = AfterRound.NEXT_ROUND


class LastMove(NamedTuple):
    """Facts about the last move that a game may mention in its messages."""

    round: int
    """The number of the current round, starting at 1."""

    times: int
    """The number of steps in the last move, such as turns or calls."""

    conceded: bool
    """Whether the last move conceded the previous round."""


class Game(ABC, Generic[State, Carry, View]):
    """The rules of one round. A game has no state: every method is a pure function."""

    info: Info

    deals: Move
    """The move that deals a round. The move's name is always ``deal``, and the game defines the
    move's fields.
    """

    round_moves: tuple[Move, ...] = ()
    """All moves of a round, or an empty tuple if the deal itself ends the round."""

    empty: View
    """The view before the first deal."""

    state_type: type[State]
    """The frozen dataclass that validates a saved state. The dataclass has no defaults."""

    carry_type: type[Carry] | None = None
    """A frozen dataclass of the piles that a round may take over from the previous round. If None,
    every round is dealt from complete decks.
    """

    may_concede: bool = False
    """Whether the player may deal during a round and thereby lose that round."""

    advisor: Advisor | None = None
    """The advisor that computes the values of decisions, or None."""

    @abstractmethod
    def deal(self, carry: Carry | None, action: Action, rng: random.Random) -> State:
        """Return a new round.

        Args:
            carry: The piles that the previous round passed on (:meth:`carry`), or None in the first
                round.
            action: The deal, with the player's choices.
            rng: The random number generator for shuffles.

        Raises:
            IllegalMove: If a choice is invalid, or if no round can produce this carry.
        """

    @abstractmethod
    def result(self, state: State) -> Result | None:
        """Return the result of the round, or None while it is open."""

    @abstractmethod
    def view(self, state: State) -> View:
        """Return a frozen dataclass of everything that the player may see.

        A face-down card is ``None``. A field marked ``PAGE_ONLY`` is omitted from the JSON.
        """

    @abstractmethod
    def cards(self, state: State) -> Cards:
        """Return every card of the game, in any order."""

    @abstractmethod
    def seen(self, state: State) -> Cards:
        """Return the cards whose positions the player knows, in any order.

        All cards at other positions are hidden.

        If a card of the view is missing from the result, showing the table raises an error. If this
        method returns a card that was never shown, records disclose that card too early. The shared
        tests of registered games report this fault.
        """

    def apply(self, state: State, action: Action, rng: random.Random) -> State:
        """Return the round after a single legal move.

        Raises:
            IllegalMove: If a choice is invalid.
        """
        raise NotImplementedError(f"{type(self).__name__} has moves, so it needs apply().")

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return the legal moves of an open round, by default all ``round_moves``."""
        return self.round_moves

    def messages(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return a message for each fact about the last move. The default is no message."""
        return ()

    def story(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return the messages as plain sentences, for a page and for screen readers.

        The result of the round is omitted, because :meth:`result` returns it.
        """
        return self.messages(state, last)

    def carry(self, state: State) -> Carry | None:
        """Return the piles that a finished round passes to the next round, or None."""
        return None

    def concede(self, state: State) -> State:
        """Return an open round that the player lost by dealing again (``may_concede``)."""
        raise IllegalMove(Text("You cannot give up a round now."))

    def players(self, state: State) -> tuple[str, ...]:
        """Return the names in the tally.

        The tally continues while the players stay the same.
        """
        return tuple(self.info.winners)

    def progress(self, state: State) -> tuple[int, ...]:
        """Return one number per player for a chart of a long round.

        By default there is no chart.
        """
        return ()

    def winner_text(self, winner: str) -> str:
        """Return a sentence that names the winner."""
        return self.info.winners.get(winner, winner)

    def ending_text(self, winner: str, moves: int) -> str:
        """Return a summary of a round that is too long for a list of all its moves.

        Args:
            winner: Winner of the round.
            moves: Number of single moves after the deal.
        """
        return self.winner_text(winner)

    @cached_property
    def later_deals(self) -> Move:
        """The deal of a later round, without fields that only the first round has."""
        first_only = {name for name, deck in self.deals.decks.items() if deck.first_only}
        later_fields = {
            name: field for name, field in self.deals.fields.items() if name not in first_only
        }
        return replace(self.deals, fields=later_fields)

    @final
    def hidden(self, state: State) -> Cards:
        """Return the cards whose positions the player does not know."""
        return tuple((Counter(self.cards(state)) - Counter(self.seen(state))).elements())

    @final
    def move(self, name: str) -> Move | None:
        """Return a move of a round, or the deal, given its name."""
        return next((move for move in (self.deals, *self.round_moves) if move.name == name), None)


AnyGame = Game[Any, Any, Any]
"""A game with any types for the state, the carry and the view."""

NOT_A_TABLE: Final = Text("No round can end with the table in this state.")


def impossible_carry() -> IllegalMove:
    """Return the exception for carried piles that no round can produce."""
    return IllegalMove(NOT_A_TABLE)
