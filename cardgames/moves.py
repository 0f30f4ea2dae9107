"""What can be done at a table: a legal move as data, and the action that a form makes of it.

A :class:`Move` says what the player may do now and what it asks for. Forms, keys, the JSON and the
terminal are drawn from it, so none of them can disagree with the rules. :meth:`Move.read` turns
what was sent into an :class:`Action`, which has one spelling only: the same in the game, in the
record of the round, in an address and in the store.

    >>> turn = Move("turn", "Play", repeat=Repeat("turns", {"1": (1, "one"), "10": (10, "ten")}))
    >>> turn.read({"turns": "10"})
    Action(name='turn', choices=(), times=10)
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from cardgames.cards import CardGameError, Cards, split_codes
from cardgames.deck_file import File, parse_deck, parse_deck_leniently, skipped_lines
from cardgames.text import Text, plural

Options = Mapping[str, str]
"""What a field may be set to: value to label. All that is for the player may be a ``Text``, which
is translated, or a plain ``str``, which stays as it is."""

Sent = Mapping[str, str | File]
"""What came with a form: a text or a file for each field."""


MAX_LINES_NAMED: Final = 10
"""Maximum number of skipped lines that a sentence names."""


class IllegalMove(CardGameError):
    """A move that the rules do not allow now, or a field that the move does not have."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A field of which one option must be chosen."""

    title: str
    """What the form calls it."""

    options: Options

    def read(self, sent: str | File) -> str:
        """Return the option that was chosen.

        Raises:
            IllegalMove: it is not one of the options.
        """
        if isinstance(sent, File) or sent not in self.options:
            refused = Text("That is not a choice for {name}: it is one of {options}.")
            raise IllegalMove(refused.fill(name=self.title, options=", ".join(self.options)))
        return sent


@dataclass(frozen=True, slots=True)
class FreeText:
    """A field for text, which may be left empty."""

    title: str
    tidy: Callable[[str], str] = str.strip
    """Gives the one spelling in which a text is recorded."""

    options: ClassVar[None] = None

    def read(self, sent: str | File) -> str:
        """Return the text.

        Raises:
            IllegalMove: a file was sent.
        """
        if isinstance(sent, File):
            raise IllegalMove(Text("The field {name} takes text, not a file.", name=self.title))
        return self.tidy(sent)


@dataclass(frozen=True, slots=True)
class DeckFile:
    """A field for a deck of the player's own, as text or as a file, which may be left empty."""

    title: str
    offer: str
    """The sentence that offers it: "Play your own deck"."""

    first_only: bool = False
    """Whether only the first round asks for it."""

    lenient: bool = False
    """Whether a line that is no card is skipped with a note, and the rest is read (S4-39)."""

    options: ClassVar[None] = None

    def read(self, sent: str | File) -> str:
        """Return the codes of the 52 cards, the top first; nothing where nothing was sent.

        Raises:
            InvalidDeck: it is not 52 different cards.
        """
        if sent == "":
            return ""
        return "".join(parse_deck_leniently(sent) if self.lenient else parse_deck(sent))

    def notes(self, sent: str | File) -> tuple[Text, ...]:
        """Return what there is to tell of how a deck was read: the lines that were skipped."""
        lines = skipped_lines(sent) if self.lenient and sent != "" else ()
        if not lines:
            return ()
        note = plural(
            "{title}: line {lines} is no card and was left out.",
            "{title}: {number} lines are no cards and were left out: {lines}.",
            len(lines),
            title=self.title,
            lines=", ".join(map(str, lines[:MAX_LINES_NAMED])),
        )
        return (note,)


OWN_DECK: Final = (Text("Deck file"), Text("Play your own deck"))
"""What the form of a deal calls the player's own deck, and the sentence that offers it."""

Field = Choice | FreeText | DeckFile


@dataclass(frozen=True)
class Action:
    """What was done, in its one spelling."""

    name: str
    choices: tuple[tuple[str, str], ...] = ()
    """What was chosen, by field, in the order of the alphabet; none of it is empty, and a deck is
    the codes of its cards."""

    times: int = 1
    """How often in a row."""

    def __getitem__(self, name: str) -> str:
        """Return what was chosen for a field; nothing where it was left empty.

        >>> Action("deal", (("players", "3"),))["players"]
        '3'
        """
        return dict(self.choices).get(name, "")

    def deck(self, name: str = "deck") -> Cards | None:
        """Return the deck that was sent in a field, if one was.

        >>> Action("deal", (("deck", "THAC"),)).deck()
        (<Card.TEN_OF_HEARTS: 'TH'>, <Card.ACE_OF_CLUBS: 'AC'>)
        """
        return split_codes(self[name]) or None

    @property
    def once(self) -> "Action":
        """The single action that was repeated."""
        return self if self.times == 1 else replace(self, times=1)


@dataclass(frozen=True, slots=True)
class Repeat:
    """How often one click may make a single move: "1 turn", "10 turns", "to the end"."""

    field: str
    """The field's name in forms."""

    options: Mapping[str, tuple[int, str]]
    """By the field's value: how often at most (it stops when the round is over), and the label."""


@dataclass(frozen=True)
class Move:
    """One thing the player may do now."""

    name: str
    label: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    repeat: Repeat | None = None
    key: str = ""
    """The letter that plays it on a keyboard, if any: a ``Text``, since what fits the label differs
    with the language."""

    done: Callable[[int], str] | None = None
    """Says how often it was made, for the history; without it the label is used."""

    @property
    def questions(self) -> Mapping[str, Choice | FreeText]:
        """The fields that take no deck."""
        fields = self.fields.items()
        return {name: field for name, field in fields if not isinstance(field, DeckFile)}

    @property
    def decks(self) -> Mapping[str, DeckFile]:
        """The fields that take a deck."""
        fields = self.fields.items()
        return {name: field for name, field in fields if isinstance(field, DeckFile)}

    @property
    def form(self) -> Mapping[str, Options | None]:
        """The fields as a form has them: the options of each, or nothing where text fits."""
        fields = {name: field.options for name, field in self.fields.items()}
        if self.repeat is None:
            return fields
        return fields | {self.repeat.field: _labels(self.repeat)}

    def read(self, sent: Sent) -> Action:
        """Return the action that a form asks for.

        Args:
            sent: the form's fields; one for text or a deck may be left out.

        Raises:
            IllegalMove: this move has no such field, or the field's value does not fit.
            InvalidDeck: a deck that was sent is not 52 different cards.
        """
        for name in sent:
            if name not in self.fields and not (self.repeat and name == self.repeat.field):
                no_such = Text("{move} has no field called {name!a}.", move=self.label, name=name)
                raise IllegalMove(no_such)
        chosen = []
        for name in sorted(self.fields):  # whatever their order in the form, one spelling
            one = self.fields[name]
            if isinstance(one, Choice):
                self._need(name, sent, one.title)
            with blaming(name):
                value = one.read(sent.get(name, ""))
            if value:
                chosen.append((name, value))
        return Action(self.name, tuple(chosen), self._times(sent))

    def notes(self, sent: Sent) -> tuple[Text, ...]:
        """Return notes on how a form was read: the lines of a deck file that were skipped."""
        decks = self.decks.items()
        return tuple(note for name, deck in decks for note in deck.notes(sent.get(name, "")))

    def said(self, times: int) -> str:
        """Say how often the move was made."""
        if self.done:
            return self.done(times)
        return Text("{move} x {times}", move=self.label, times=times) if times > 1 else self.label

    def _times(self, sent: Sent) -> int:
        if self.repeat is None:
            return 1
        name = self.repeat.field
        self._need(name, sent, name)
        value = Choice(name, _labels(self.repeat)).read(sent[name])
        return self.repeat.options[value][0]

    def _need(self, name: str, sent: Sent, title: str) -> None:
        """Refuse a form without a field that must be chosen."""
        if name not in sent:
            needs = Text("{move} needs a choice for {name}.", move=self.label, name=title)
            raise IllegalMove(needs)


@contextmanager
def blaming(field: str) -> Iterator[None]:
    """Say of what is refused meanwhile that a field of the form has caused it."""
    try:
        yield
    except CardGameError as error:
        error.field = field
        raise


def _labels(repeat: Repeat) -> Options:
    return {value: label for value, (_, label) in repeat.options.items()}


CONCEDE: Final = Action("forfeit")
"""What ends a round that the player has given up by dealing the next one (S1-15)."""
