"""What is said to the player: English as it stands, and translatable afterwards.

A :class:`Text` *is* its English text, so the rules, a REPL and the JSON need nothing else. It also
remembers the sentence it was made from and what was filled in, and whoever shows it to a reader of
another language says it anew from those (``web/language.py`` does)::

    >>> text = Text("Dealer takes the {card}.", card=Text("queen of clubs"))
    >>> text
    'Dealer takes the queen of clubs.'
    >>> text.said(NullTranslations())  # with a language's catalogue: in that language
    'Dealer takes the queen of clubs.'
"""

from gettext import NullTranslations
from typing import Any, Self


class Text(str):
    """A text for the player, in English.

    The sentence is written as for :meth:`str.format`, with named fields only. A value that is a
    ``Text`` itself is translated with the sentence; any other value stays as it is.
    """

    __slots__ = ("one", "sentence", "values")

    sentence: str
    """The English sentence, its fields not filled in: what a catalogue translates."""

    one: str
    """The same sentence for exactly one, where the text counts; otherwise empty."""

    values: dict[str, Any]
    """What is filled in, by the field's name."""

    def __new__(cls, sentence: str, **values: Any) -> Self:
        """Fill a sentence in; without values it is taken as it stands, braces and all."""
        text = super().__new__(cls, sentence.format_map(values) if values else sentence)
        text.sentence = sentence
        text.one = ""
        text.values = values
        return text

    def filled(self, **values: Any) -> "Text":
        """Return the sentence with its fields filled in.

        >>> Text("Tie! No one wins round {number}!").filled(number=3)
        'Tie! No one wins round 3!'
        """
        return Text(self.sentence, **values)

    def said(self, catalogue: NullTranslations) -> str:
        """Return the text in the language of a gettext catalogue."""
        if self.one:
            sentence = catalogue.ngettext(self.one, self.sentence, self.values["number"])
        else:
            sentence = catalogue.gettext(self.sentence)
        if not self.values:
            return sentence
        said = {
            name: value.said(catalogue) if isinstance(value, Text) else value
            for name, value in self.values.items()
        }
        return sentence.format_map(said)


def counted(one: str, many: str, number: int, **values: Any) -> Text:
    """Return a text that counts, with ``number`` to fill in beside the other values.

    >>> counted("{number} card", "{number} cards", 1), counted("{number} card", "{number} cards", 2)
    ('1 card', '2 cards')
    """
    text = Text(one if number == 1 else many, number=number, **values)
    text.one, text.sentence = one, many
    return text
