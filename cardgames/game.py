"""What a game is: answers to four questions about a state, and one way to play a move.

A state is a frozen value. What may be done now is a value too (:class:`Move`); the page's forms,
the JSON and the terminal are all drawn from it, so none of them can disagree with the rules.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, TypeVar, final

from cardgames.cards import Card, CardGameError, Cards, File, parse_deck
from cardgames.words import Text, listed

State = TypeVar("State")
View = TypeVar("View")

Options = Mapping[str, str]
"""What a field may be set to: value to label. All that is for the player may be a ``Text``, which
is translated, or a plain ``str``, which stays as it is."""

Choices = Mapping[str, str | File]
"""What the player filled in: a value for each field; only free-text fields take a file."""


class IllegalMove(CardGameError):
    """A move that the rules do not allow now, or a field that the move does not have."""


class Phase(StrEnum):
    """Where a table stands."""

    READY = "ready"
    PLAYING = "playing"
    ROUND_OVER = "round over"
    GAME_OVER = "game over"


@dataclass(frozen=True, slots=True)
class Move:
    """One thing the player may do now.

    ``fields`` maps a field's name to its options, of which one must be chosen, or to ``None`` for
    free text or a file, which may be left out or empty.
    """

    name: str
    label: str
    fields: Mapping[str, Options | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One rule of a table in plain words; ``anchor`` is its place on the rules page."""

    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a round or a game ended, in one sentence, and the anchor of the rule that decided it."""

    text: str
    rule: str


Pile = tuple[Card | None, ...]
"""Cards in order, the top first; ``None`` is one whose face is not told."""


def told(pile: Pile) -> Cards:
    """Return the cards of a pile whose faces are told."""
    return tuple(card for card in pile if card)


PILES: Final = ("deck", "seen", "buried")
"""The piles that a round may take over: what is undealt, the discards that the player has seen,
and those that he has not."""


@dataclass(frozen=True, slots=True)
class Before:
    """What a round takes over from the rounds before it: all that it depends on, besides its moves.

    A tally is none of it: it says who won, and changes no round.
    """

    round: int = 0
    """How many rounds were played before it."""

    stacked: bool = False
    """Whether the deck is one that the player has sent."""

    piles: Mapping[str, Pile] = field(default_factory=dict)
    """The cards, by the names in ``PILES``; none where every deal takes whole decks."""


class Game(ABC, Generic[State, View]):
    """A card game that a table can play.

    A game has no state of its own: every method is a question about the state it is given.
    """

    slug: str
    """The game's name in addresses."""

    title: str
    """The game's name on pages."""

    pitch: str
    """One sentence for the lobby."""

    decks: ClassVar[int] = 1
    """How many decks of 52 cards are on the table."""

    state_type: type[State]
    """The type that a saved state is validated against."""

    house_rules: tuple[HouseRule, ...]
    """The rules in plain words, in reading order."""

    @abstractmethod
    def start(self) -> State:
        """Return an empty table. It needs no luck."""

    @abstractmethod
    def moves(self, state: State) -> tuple[Move, ...]:
        """Return what the player may do now."""

    @abstractmethod
    def apply(self, state: State, move: str, choices: Choices, rng: random.Random) -> State:
        """Return the state after a move that :meth:`play` has found legal."""

    @abstractmethod
    def view(self, state: State) -> View:
        """Return what the player may see: with :meth:`page_view` all that ever leaves the rules."""

    def page_view(self, state: State) -> View:
        """Return the view with what only a page shows, of a type derived from ``View``.

        The JSON has the names of the contract and no others.
        """
        return self.view(state)

    @abstractmethod
    def phase(self, state: State) -> Phase:
        """Return where the table stands."""

    @abstractmethod
    def verdict(self, state: State) -> Verdict | None:
        """Say how the last round ended, or nothing while one is open or none was played."""

    @abstractmethod
    def cards(self, state: State) -> Cards:
        """Return every card of the game wherever it lies, in any order."""

    sides: ClassVar[tuple[str, ...]] = ()
    """Whose won rounds the tally counts; none where it counts by the players' names, or not."""

    reshuffles: ClassVar[bool] = False
    """Whether cards are shuffled again and again until the game is over, as in War."""

    def hidden(self, state: State) -> Cards:
        """Return the cards that the player cannot know; all of them, unless a game says better."""
        return self.cards(state)

    def shown(self, state: State) -> Cards:  # noqa: ARG002
        """Return the cards that lie on the table face up; none, unless a game says better."""
        return ()

    def spent(self, state: State) -> bool:
        """Say whether no card on the table is played again: the next deal takes whole decks."""
        return self.phase(state) in (Phase.ROUND_OVER, Phase.GAME_OVER)

    def before(self, state: State) -> Before:  # noqa: ARG002 - what a game without memory says
        """Return what a round that is dealt now takes over from the rounds before it."""
        return Before()

    def resumed(self, before: Before) -> State:  # noqa: ARG002
        """Return a table on which the round that has taken this over can be dealt.

        Raises:
            IllegalMove: that is not what a table can look like.
        """
        return self.start()

    def won(self, state: State) -> str | None:  # noqa: ARG002
        """Return who won the round on the table, as the tally names him; nothing while it is open.

        A game without a tally names nobody.
        """
        return None

    def given_up(self, state: State) -> State:  # noqa: ARG002
        """Return the table when the player has dealt anew in the middle of a round.

        Raises:
            IllegalMove: that cannot be done here.
        """
        raise IllegalMove(Text("A round cannot be given up now."))

    def singly(
        self,
        before: State,  # noqa: ARG002
        choices: Choices,
        after: State,  # noqa: ARG002
    ) -> tuple[Choices, int]:
        """Return a move as the smallest one of its kind, and how often that was made.

        War's hundred turns in one click are a hundred times one turn. The luck is the same.
        """
        return choices, 1

    @final
    def play(self, state: State, move: str, choices: Choices, rng: random.Random) -> State:
        """Play one move.

        Args:
            state: the table as it stands; it is not changed.
            move: the name of one of ``moves(state)``.
            choices: the move's fields, as filled in.
            rng: where a shuffle takes its luck from.

        Returns:
            The table after the move.

        Raises:
            IllegalMove: the move is not one of ``moves(state)``, or a field does not fit it.
            InvalidDeck: a deck that was sent is not 52 different cards.

        """
        legal = {legal.name: legal for legal in self.moves(state)}
        if move not in legal:
            raise IllegalMove(_not_now(legal))
        _check(legal[move], choices)
        return self.apply(state, move, choices, rng)


AnyGame = Game[Any, Any]
"""A game whose state and view are of no interest where it is used."""


def _not_now(legal: Mapping[str, Move]) -> Text:
    if not legal:
        return Text("It is over: there is no move any more.")
    labels = listed(move.label for move in legal.values())
    return Text("That move is not allowed now. You can choose: {moves}.", moves=labels)


def _check(move: Move, choices: Choices) -> None:
    """Refuse fields that the move does not have, and options that it does not offer."""
    for name in choices:
        if name not in move.fields:
            no_such = Text("{move} has no field called {name!a}.", move=move.label, name=name)
            raise IllegalMove(no_such)
    for name, options in move.fields.items():
        if options is None:
            continue
        if name not in choices:
            raise IllegalMove(Text("{move} needs a choice for {name}.", move=move.label, name=name))
        if choices[name] not in options:
            refused = Text("That is not a choice for {name}: it is one of {options}.")
            raise IllegalMove(refused.filled(name=name, options=", ".join(options)))


def chosen_deck(choices: Choices, name: str = "deck") -> Cards | None:
    """Return the deck that the player sent in a field, or nothing when it was left empty.

    Raises:
        InvalidDeck: what was sent is not 52 different cards.

    """
    deck = choices.get(name, "")
    return None if deck == "" else parse_deck(deck)


def chosen_text(choices: Choices, name: str) -> str:
    """Return what the player typed into a free-text field; empty when it was left out.

    Raises:
        IllegalMove: a file was sent where only text fits.

    """
    text = choices.get(name, "")
    if isinstance(text, File):
        raise IllegalMove(Text("The field {name} takes text, not a file.", name=name))
    return text
