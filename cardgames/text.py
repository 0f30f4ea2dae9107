"""Texts for the player, which are English strings that can be translated later.

A :class:`Text` *is* its English string, so the rules, an interactive session and the JSON need no
translation. A text also stores the sentence and the values from which the string was formatted, so
that the website can translate them::

    >>> text = Text("Dealer takes the {card}.", card=Text("queen of clubs"))
    >>> text
    'Dealer takes the queen of clubs.'
    >>> text.translated(NullTranslations())  # with a language's catalogue: in that language
    'Dealer takes the queen of clubs.'

``make words`` finds every sentence in the code that is written as ``Text("…")`` or ``plural("…",
"…", …)``, and adds it to the catalogues.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import reduce
from gettext import NullTranslations
from typing import Any, Final, Self


class Text(str):
    """A text for the player, in English.

    The sentence is written as for :meth:`str.format`, with named fields only. A value that is
    itself a ``Text`` is translated with the sentence. Other values are not changed.
    """

    __slots__ = ("sentence", "singular", "values")

    sentence: str
    """The English sentence with its placeholders, which is the key in a catalogue."""

    singular: str
    """The sentence for the number one, or an empty string if the text has no plural."""

    values: dict[str, Any]
    """The values, keyed by field name."""

    def __new__(cls, sentence: str, /, **values: Any) -> Self:
        """Fill in the fields of a sentence.

        If no values are given, braces in the sentence have no special meaning.
        """
        text = super().__new__(cls, sentence.format_map(values) if values else sentence)
        text.sentence = sentence
        text.singular = ""
        text.values = values
        return text

    def fill(self, **values: Any) -> "Text":
        """Return the sentence with its fields filled in.

        >>> Text("Tie! No one wins round {number}!").fill(number=3)
        'Tie! No one wins round 3!'
        """
        if self.singular:
            return plural(self.singular, self.sentence, **values)
        return Text(self.sentence, **values)

    def translated(self, catalogue: NullTranslations) -> str:
        """Return the text in the language of a gettext catalogue."""
        if self.singular:
            sentence = catalogue.ngettext(self.singular, self.sentence, self.values["number"])
        else:
            sentence = catalogue.gettext(self.sentence)
        if not self.values:
            return sentence
        values = {
            name: value.translated(catalogue) if isinstance(value, Text) else value
            for name, value in self.values.items()
        }
        return sentence.format_map(values)


def plural(one: str, many: str, /, number: int, **values: Any) -> Text:
    """Return the singular or plural form of a string, depending on a number.

    Args:
        one: The sentence for the number one.
        many: The sentence for any other number.
        number: The value of the field ``number``.
        **values: The values of the other fields.

    >>> plural("{number} card", "{number} cards", 1), plural("{number} card", "{number} cards", 2)
    ('1 card', '2 cards')
    """
    text = Text(one if number == 1 else many, number=number, **values)
    text.singular, text.sentence = one, many
    return text


class NamedEnum(StrEnum):
    """An enumeration of codes with labels. By default, each code is its own label.

    >>> class Answer(NamedEnum):
    ...     YES = "Y", Text("yes")
    >>> Answer("Y"), Answer.YES.text
    (<Answer.YES: 'Y'>, 'yes')
    """

    _value_: str
    text: Text

    def __new__(cls, code: str, text: Text | None = None) -> Self:
        """Create the member for a code, so that ``Answer("Y")`` returns the member."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.text = text or Text(code)
        return member

    @classmethod
    def texts(cls) -> dict[str, Text]:
        """Return the labels, keyed by code."""
        return {member.value: member.text for member in cls}


def comma_join(texts: Iterable[str]) -> str:
    """Return the texts joined by commas.

    >>> comma_join([Text("Hit"), Text("Stay"), Text("Start over")])
    'Hit, Stay, Start over'
    """
    return reduce(lambda before, last: Text("{before}, {last}", before=before, last=last), texts)


_SAMPLE: Final = Text("1,234.5%")
"""A number in the English format. The number is translated into the format of a language, for
example ``1.234,5%``.
"""


class FormattedNumber(Text):
    """A formatted number with commas, a decimal point or a percent sign."""

    __slots__ = ()

    def translated(self, catalogue: NullTranslations) -> str:
        """Return the number in the format of a language."""
        sample = catalogue.gettext(_SAMPLE)
        # one pass, because commas become points and points become commas
        return self.translate({ord(","): sample[1], ord("."): sample[5], ord("%"): sample[7:]})


def format_number(number: float, form: str) -> FormattedNumber:
    """Return a number in a format of :func:`format`, with a typographic minus sign.

    >>> format_number(0.4826, ".1%"), format_number(20000, ","), format_number(0.5, "+.2f")
    ('48.3%', '20,000', '+0.50')
    """
    return FormattedNumber(format(number, form).replace("-", "−"))


def format_points(points: float, sign: str = "") -> FormattedNumber:
    """Return a value of a round in points, which are hundredths of a round.

    Args:
        points: The value in points. Values of at least 1,000 points have no decimals.
        sign: ``+`` for a plus sign before positive numbers.

    >>> format_points(3.628), format_points(37.0), format_points(6.7, "+"), format_points(-0.04)
    ('3.6', '37', '+6.7', '0')
    """
    rounded = round(points, 1) or 0  # avoids "-0"
    decimals = int(abs(rounded) < 1_000 and rounded % 1 != 0)  # noqa: PLR2004 - a thousand
    return format_number(rounded, f"{sign if rounded else ''},.{decimals}f")
