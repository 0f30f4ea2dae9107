"""Legal moves as data, and the actions that are created from form data.

A :class:`Move` describes a legal move and its form fields. Forms, keyboard shortcuts, the JSON and
the terminal are derived from these descriptions, so they always agree with the rules.
:meth:`Move.read` converts form data to an :class:`Action`, which has the same format in the game,
in the record of the round, in URLs and in the database.

    >>> turn = Move("turn", "Play", repeat=Repeat("turns", {"1": (1, "one"), "10": (10, "ten")}))
    >>> turn.read({"turns": "10"})
    Action(name='turn', choices=(), times=10)
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Final

from cardgames.cards import CardGameError, Cards, split_codes
from cardgames.deck_file import File, parse_deck, parse_deck_leniently, skipped_lines
from cardgames.text import Text, plural

Options = Mapping[str, str]
"""The options of a field, keyed by value. A label is a ``Text``, which is translated, or a plain
``str``, which is not.
"""

Sent = Mapping[str, str | File]
"""Form data: the string or file of each field."""


MAX_LINES_NAMED: Final = 10
"""Maximum number of skipped lines that a note lists."""


class IllegalMove(CardGameError):
    """An error raised when the rules do not allow a move or one of its fields."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A field with options, from which the player must choose one."""

    title: str
    """The label in the form."""

    options: Options

    def read(self, sent: str | File) -> str:
        """Return the selected option.

        Raises:
            IllegalMove: If the value is not one of the options.
        """
        if isinstance(sent, File) or sent not in self.options:
            refused = Text("{name} must be one of {options}.")
            raise IllegalMove(refused.fill(name=self.title, options=", ".join(self.options)))
        return sent


@dataclass(frozen=True, slots=True)
class FreeText:
    """A text field, which may be empty."""

    title: str
    tidy: Callable[[str], str] = str.strip
    """A function that returns the normalized text for the record."""

    options: ClassVar[None] = None

    def read(self, sent: str | File) -> str:
        """Return the text.

        Raises:
            IllegalMove: If a file was sent.
        """
        if isinstance(sent, File):
            raise IllegalMove(Text("The field {name} takes text, not a file.", name=self.title))
        return self.tidy(sent)


@dataclass(frozen=True, slots=True)
class DeckFile:
    """A form field for the player's own deck, as text or as a file.

    The field may be empty.
    """

    title: str
    offer: str
    """The label of the form's section: "Play your own deck"."""

    first_only: bool = False
    """Whether only the first round accepts a deck."""

    lenient: bool = False
    """Whether a line that is not a card is skipped with a note (S4-39)."""

    options: ClassVar[None] = None

    def read(self, sent: str | File) -> str:
        """Return the codes of the 52 cards, with the top card first, or an empty string.

        Raises:
            InvalidDeck: If the deck does not consist of 52 different cards.
        """
        if sent == "":
            return ""
        return "".join(parse_deck_leniently(sent) if self.lenient else parse_deck(sent))

    def notes(self, sent: str | File) -> tuple[Text, ...]:
        """Return a note about the skipped lines of a deck, or None."""
        lines = skipped_lines(sent) if self.lenient and sent != "" else ()
        if not lines:
            return ()
        note = plural(
            "{title}: line {lines} is not a card and was left out.",
            "{title}: {number} lines are not cards and were left out: {lines}.",
            len(lines),
            title=self.title,
            lines=", ".join(map(str, lines[:MAX_LINES_NAMED])),
        )
        return (note,)


OWN_DECK: Final = (Text("Deck file"), Text("Play your own deck"))
"""The labels for the player's own deck in the deal form."""

Field = Choice | FreeText | DeckFile


@dataclass(frozen=True)
class Action:
    """A move that the player made, in a normalized form."""

    name: str
    choices: tuple[tuple[str, str], ...] = ()
    """The non-empty choices, as pairs of field and value in alphabetical order. A deck is
    represented by the codes of its cards.
    """

    times: int = 1
    """The number of times that the move is made."""

    def __getitem__(self, name: str) -> str:
        """Return the choice for a field, or an empty string.

        >>> Action("deal", (("players", "3"),))["players"]
        '3'
        """
        return dict(self.choices).get(name, "")

    def deck(self, name: str = "deck") -> Cards | None:
        """Return the deck in a field, or None.

        >>> Action("deal", (("deck", "THAC"),)).deck()
        (<Card.TEN_OF_HEARTS: 'TH'>, <Card.ACE_OF_CLUBS: 'AC'>)
        """
        return split_codes(self[name]) or None

    @property
    def once(self) -> "Action":
        """The action without its number of repetitions."""
        return self if self.times == 1 else replace(self, times=1)


@dataclass(frozen=True, slots=True)
class Repeat:
    """The choices for the number of repetitions per click, such as "10 turns"."""

    field: str
    """The field's name in forms."""

    options: Mapping[str, tuple[int, str]]
    """The maximum number of times and the label, keyed by the field's value."""


@dataclass(frozen=True)
class Move:
    """A legal move of the player."""

    name: str
    label: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    repeat: Repeat | None = None
    key: str = ""
    """The move's key on a keyboard, or an empty string. The key is a ``Text``, because it depends
    on the label in the reader's language.
    """

    done: Callable[[int], str] | None = None
    """A function that returns the text for the history, given the number of times that the move was
    made. The default is the label.
    """

    @cached_property
    def questions(self) -> Mapping[str, Choice | FreeText]:
        """The fields that are not decks."""
        fields = self.fields.items()
        return {name: field for name, field in fields if not isinstance(field, DeckFile)}

    @cached_property
    def decks(self) -> Mapping[str, DeckFile]:
        """The fields for decks."""
        fields = self.fields.items()
        return {name: field for name, field in fields if isinstance(field, DeckFile)}

    @property
    def form(self) -> Mapping[str, Options | None]:
        """The options of each field, or None for free text."""
        fields = {name: field.options for name, field in self.fields.items()}
        if self.repeat is None:
            return fields
        return fields | {self.repeat.field: _labels(self.repeat)}

    def read(self, sent: Sent) -> Action:
        """Return the action that a form requests.

        Args:
            sent: Submitted form data. Fields for text or a deck are optional.

        Raises:
            IllegalMove: If the move has no such field, or a value is invalid.
            InvalidDeck: If a deck does not consist of 52 different cards.
        """
        for name in sent:
            if name not in self.fields and not (self.repeat and name == self.repeat.field):
                no_such = Text("{move} has no field called {name!a}.", move=self.label, name=name)
                raise IllegalMove(no_such)
        chosen = []
        for name in sorted(
            self.fields
        ):  # sorted, so that an action does not depend on the order of the fields in the form
            field = self.fields[name]
            if isinstance(field, Choice):
                self._need(name, sent, field.title)
            with attribute_errors_to(name):
                value = field.read(sent.get(name, ""))
            if value:
                chosen.append((name, value))
        return Action(self.name, tuple(chosen), self._times(sent))

    def notes(self, sent: Sent) -> tuple[Text, ...]:
        """Return notes about the skipped lines of deck files."""
        decks = self.decks.items()
        return tuple(note for name, deck in decks for note in deck.notes(sent.get(name, "")))

    def said(self, count: int) -> str:
        """Return the text of the move in the history."""
        if self.done:
            return self.done(count)
        return Text("{move} x {times}", move=self.label, times=count) if count > 1 else self.label

    def _times(self, sent: Sent) -> int:
        if self.repeat is None:
            return 1
        name = self.repeat.field
        self._need(name, sent, name)
        value = Choice(name, _labels(self.repeat)).read(sent[name])
        return self.repeat.options[value][0]

    def _need(self, name: str, sent: Sent, title: str) -> None:
        """Raise if a required field is missing."""
        if name not in sent:
            needs = Text("{move} needs a choice for {name}.", move=self.label, name=title)
            raise IllegalMove(needs)


@contextmanager
def attribute_errors_to(field: str) -> Iterator[None]:
    """Set the form field of every error that is raised inside the block."""
    try:
        yield
    except CardGameError as error:
        error.field = field
        raise


def _labels(repeat: Repeat) -> Options:
    return {value: label for value, (_, label) in repeat.options.items()}


CONCEDE: Final = Action("forfeit")
"""The action that ends a round when the player concedes it by dealing the next round (S1-15)."""
