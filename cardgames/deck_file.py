"""The sheets' deck files: one card per line, with the top card in the first line.

A file that is not a valid deck is rejected with :class:`InvalidDeck`. The error messages name lines
but never a card, because the page that shows the messages may also show a face-down card.
"""

import re
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from typing import Final, NamedTuple

from cardgames.cards import DECK_SIZE, FULL_DECK, Card, CardGameError, Cards, Rank, Suit
from cardgames.text import Text, plural


class File(NamedTuple):
    """A file that a player uploaded: its name and its unchanged bytes."""

    name: str
    content: bytes


class InvalidDeck(CardGameError):
    """An error raised if a deck file lacks some of the 52 cards (S0-33, S0-34, S4-40).

    ``name`` is the file's name, and ``errors`` has one message for each invalid line, in order. No
    message names a card, so the error can be shown on a page that also shows a face-down card.
    """

    def __init__(self, sentence: Text, name: str, errors: tuple[Text, ...]) -> None:
        super().__init__(sentence.fill(name=name))
        self.name = name
        self.errors = errors


MAX_DECK_TEXT: Final = 4_000
"""Maximum size of a deck file, in characters and in bytes. A file with 52 lines has about 160."""

_TOO_LONG: Final = Text(
    "the deck is too long: a deck has at most {most} characters", most=MAX_DECK_TEXT
)
_UTF_16: Final = Text("the file is saved as UTF-16: save it as UTF-8")
_INVALID: Final = Text("Cannot populate deck: invalid data in {name}")
_NOT_VALID: Final = Text("Deck created from {name} is not valid")
_BYTE_ORDER_MARK: Final = "\ufeff"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_RANKS: Final = "".join(Rank)
_SUITS: Final = "".join(Suit)


def parse_deck(deck: str | File) -> Cards:
    r"""Read a deck file with one code per line, the top card first (S0-30 to S0-34).

    Upper and lower case, spaces and tabs around a code, and any line ending are accepted. Empty
    lines are rejected, but the last line may end with a line break (A0-22, A0-23).

    Args:
        deck: The deck as a string (called ``the text`` in messages), or an uploaded file.

    Returns:
        The 52 cards, with the top card first.

    Raises:
        InvalidDeck: If any line is invalid. The exception lists the line number and the error
            message of every invalid line.

    >>> parse_deck("ks\nJH")
    Traceback (most recent call last):
    cardgames.deck_file.InvalidDeck: Cannot populate deck: invalid data in the text
    """
    name, codes = _read(deck, _INVALID)
    errors = _no_cards(codes) | _repeated(codes)
    if len(codes) < DECK_SIZE:
        missing = Text("line {number} is missing: a deck has {size} cards, one on each line")
        line = len(codes) + 1
        errors[line] = missing.fill(number=line, size=DECK_SIZE)
    if errors:
        raise InvalidDeck(_INVALID, name, tuple(errors[line] for line in sorted(errors)))
    return tuple(map(Card, codes.values()))


def parse_deck_leniently(deck: str | File) -> Cards:
    r"""Read a deck file, skipping invalid lines as the Bingo sheet requires (S4-39).

    Args:
        deck: The deck as a string, or an uploaded file.

    Returns:
        The 52 cards, with the top card first.

    Raises:
        InvalidDeck: If the remaining lines are not 52 different cards.

    >>> from cardgames.cards import FULL_DECK
    >>> parse_deck_leniently("\n".join(["??", *FULL_DECK])) == FULL_DECK
    True
    """
    name, codes = _read(deck, _NOT_VALID)
    skipped = _no_cards(codes)
    cards = {line: code for line, code in codes.items() if line not in skipped}
    errors = skipped | _repeated(cards)
    different = len(set(cards.values()))
    if different < DECK_SIZE or len(cards) > DECK_SIZE:
        few = Text("the deck has {number} different cards, but must have {size} cards")
        reasons = [errors[line] for line in sorted(errors)]
        reasons.append(few.fill(number=different, size=DECK_SIZE))
        raise InvalidDeck(_NOT_VALID, name, tuple(reasons))
    return tuple(map(Card, cards.values()))


def skipped_lines(deck: str | File) -> tuple[int, ...]:
    r"""Return the numbers of the lines that :func:`parse_deck_leniently` skips.

    >>> skipped_lines("KS\n4\nTH")
    (2,)
    """
    _, codes = _read(deck, _NOT_VALID)
    return tuple(_no_cards(codes))


def _read(deck: str | File, refusal: Text) -> tuple[str, dict[int, str]]:
    """Return the name of a deck file, and its lines keyed by line number.

    The lines are stripped and in upper case.
    """
    name, text = (Text("the text"), deck) if isinstance(deck, str) else _decoded(deck, refusal)
    if len(text) > MAX_DECK_TEXT:
        raise InvalidDeck(refusal, name, (_TOO_LONG,))
    lines = _LINE_END.split(text)
    if lines[-1] == "":
        lines.pop()
    codes = (line.strip(" \t") for line in lines)
    # Other letters are not converted, because they may become longer: "ß" has two characters in
    # upper case, so its line would have a different error.
    upper = (code.upper() if code.isascii() else code for code in codes)
    return name, dict(enumerate(upper, start=1))


def _decoded(file: File, refusal: Text) -> tuple[str, str]:
    name = "".join(char if char.isprintable() else "?" for char in file.name)
    if len(file.content) > MAX_DECK_TEXT:
        raise InvalidDeck(refusal, name, (_TOO_LONG,))
    if _is_utf_16(file.content):
        raise InvalidDeck(refusal, name, (_UTF_16,))
    try:
        return name, file.content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidDeck(refusal, name, (Text("the file is not a text file"),)) from None


def _is_utf_16(content: bytes) -> bool:
    """Return whether a file is encoded in UTF-16, with or without a byte-order mark."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return True
    halves = content[::2], content[1::2]
    zeros, letters = sorted(halves, key=lambda half: half.strip(b"\0") != b"")
    return bool(letters) and not zeros.strip(b"\0") and letters.isascii() and b"\0" not in letters


def _no_cards(codes: Mapping[int, str]) -> dict[int, Text]:
    """Return the error messages for lines that are not cards, keyed by line number."""
    messages = ((line, _error(code, line)) for line, code in codes.items())
    return {line: error for line, error in messages if error}


def _repeated(codes: Mapping[int, str]) -> dict[int, Text]:
    """Return an error message for each line that repeats an earlier card."""
    first_seen: dict[str, int] = {}
    again = Text("line {number} repeats the card of line {first}")
    errors = {}
    for line, code in codes.items():
        if first_seen.setdefault(code, line) != line and not _error(code, line):
            errors[line] = again.fill(number=line, first=first_seen[code])
    return errors


def _error(code: str, number: int) -> Text | None:
    """Return the error message for a line, or None if the line is a card."""
    if not code:
        return Text("line {number} is empty", number=number)
    if code.startswith(_BYTE_ORDER_MARK):
        return Text(
            "line {number} begins with an invisible byte-order mark: save the file as UTF-8 "
            "without it",
            number=number,
        )
    if invisible := next((char for char in code if not char.isprintable()), ""):
        return Text(
            "line {number} has an invisible character, {name}: delete it",
            number=number,
            name=unicodedata.name(invisible, f"U+{ord(invisible):04X}").lower(),
        )
    if len(code) != len(FULL_DECK[0]):
        return plural(
            "line {line} has {number} character: a card is a rank and a suit",
            "line {line} has {number} characters: a card is a rank and a suit",
            len(code),
            line=number,
        )
    if code[0] not in _RANKS:
        return Text(
            "line {number} has the rank '{rank}': a rank is one of {ranks}",
            number=number,
            rank=code[0],
            ranks=" ".join(_RANKS),
        )
    if code[1] not in _SUITS:
        return Text(
            "line {number} has the suit '{suit}': a suit is one of {suits}",
            number=number,
            suit=code[1],
            suits=" ".join(_SUITS),
        )
    return None
