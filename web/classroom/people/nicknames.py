"""Names of students: nicknames, which are offered or freely chosen, and real names."""

import random
import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Final

from cardgames.cards import CardGameError
from cardgames.text import Text

OFFERS: Final = 6
"""Number of nicknames that are offered at the same time."""

MIN_LENGTH: Final = 2
MAX_LENGTH: Final = 24
MAX_REAL_LENGTH: Final = 80

MAX_SENT: Final = 4 * MAX_REAL_LENGTH
"""Maximum length, in characters, of the part of a sent name that is parsed."""

NICKNAME_RULE: Final = Text(
    "A nickname has {least} to {most} characters, all of them visible, and at least one letter or "
    "digit.",
    least=MIN_LENGTH,
    most=MAX_LENGTH,
)
NOT_OFFERED: Final = Text("Choose one of the nicknames that are offered.")
NO_REAL_NAME: Final = Text(
    "A real name has at most {most} characters, all of them visible.", most=MAX_REAL_LENGTH
)

_INVISIBLE: Final = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800),
            *(0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),
        ),
    )
)
"""Letters, marks and symbols that are invisible."""

_JOINERS: Final = "\u200c\u200d"
_VIRAMA: Final = 9
"""The combining class of a virama, after which a joiner is needed (RFC 5892)."""

_PILE_OF_MARKS: Final = "MMMMM"
"""More consecutive combining marks than a letter has in any script."""

_ALIKE: Final = str.maketrans("i1o", "ll0")

_chance: Final = random.SystemRandom()


_LISTS: Final = Path(__file__).with_name("nicknames.txt").read_text(encoding="utf-8").split("\n\n")
WORDS: Final = {
    "en": (_LISTS[1].split(), _LISTS[2].split()),
    "de": (_LISTS[3].split(), _LISTS[4].split()),
}
"""Adjectives and nouns for offered nicknames, keyed by language."""


def offers(language: str, taken: Collection[str]) -> tuple[str, ...]:
    """Return random nicknames that are not taken."""
    adjectives, nouns = WORDS.get(language) or next(iter(WORDS.values()))
    names: list[str] = []
    while len(names) < OFFERS:
        name = f"{_chance.choice(adjectives)} {_chance.choice(nouns)}"
        noun = name.partition(" ")[2]
        if name_key(name) not in taken and not any(other.endswith(f" {noun}") for other in names):
            names.append(name)
    return tuple(names)


def is_offered(name: str) -> bool:
    """Return whether the site can offer a nickname, in any language.

    >>> is_offered("Quiet Otter"), is_offered("Otter Quiet"), is_offered("Stiller Otter")
    (True, False, True)
    """
    adjective, _, noun = name.partition(" ")
    return any(adjective in adjectives and noun in nouns for adjectives, nouns in WORDS.values())


def checked_nickname(sent: str) -> str:
    """Return the normalized form of a nickname.

    Raises:
        CardGameError: If the nickname is too short or too long, or contains invisible characters.
    """
    name = "".join(sign for sign in tidy_name(sent) if sign not in _JOINERS)
    kinds = "".join(unicodedata.category(sign)[0] for sign in name)
    is_short = MIN_LENGTH <= len(name) <= MAX_LENGTH and _PILE_OF_MARKS not in kinds
    if not (is_short and name.isprintable() and name_key(name)):
        raise CardGameError(NICKNAME_RULE)
    return name


def checked_real_name(sent: str) -> str:
    """Return a normalized real name, or an empty string if no name was sent.

    Raises:
        CardGameError: If the name is too long or contains invisible characters.
    """
    name = tidy_name(sent)
    if len(name) > MAX_REAL_LENGTH or not is_visible(name):
        raise CardGameError(NO_REAL_NAME)
    return name


# Each join compares the new name with all names of the class. Without this cache, the comparison
# takes 3 of the 4 ms of a join with 400 students.
@lru_cache(4_096)
def name_key(name: str) -> str:
    """Return a key that is equal for similar nicknames.

    Case, accents, spaces, punctuation and symbols are removed. `I`, `l` and `1` are considered
    equal, and so are `O` and `0`.

    >>> name_key("Ian") == name_key("lan"), name_key("O2") == name_key("02"), name_key("Zoë-B")
    (True, True, 'z0eb')
    """
    return _plain(name).translate(_ALIKE)


def roster_key(name: str) -> tuple[str, ...]:
    """Return a key that is equal for a name on the list and the same name as typed.

    >>> roster_key("Müller, Anna Maria") == roster_key("anna maria MULLER")
    True
    """
    return tuple(sorted(filter(None, map(_plain, re.split(r"[\s,;]+", name[:MAX_SENT])))))


def _plain(name: str) -> str:
    """Return the letters and digits of a name, ignoring case and accents."""
    letters = unicodedata.normalize("NFKD", name[:MAX_SENT].casefold())
    characters = (sign for sign in letters if unicodedata.category(sign)[0] in "LMN")
    return "".join(sign for sign in characters if not unicodedata.combining(sign))


def tidy_name(sent: str) -> str:
    """Return a normalized name without invisible characters.

    The removed characters are direction marks, soft hyphens, zero-width spaces and byte-order
    marks. A zero-width joiner is not removed if the spelling needs it.
    """
    sent = unicodedata.normalize("NFKC", sent[:MAX_SENT])
    characters = (
        sign
        for place, sign in enumerate(sent)
        if _is_spelling(sent, place)
        or not (sign in _INVISIBLE or unicodedata.category(sign) == "Cf")
    )
    return " ".join("".join(characters).split())


def _is_spelling(text: str, place: int) -> bool:
    """Return whether the zero-width joiner at an index is part of the spelling.

    It is part of the spelling after a virama, and between joining letters (Arabic).

    >>> [_is_spelling(name, 1) for name in ("\u06cc\u200c\u0631", "a\u200cb", "\u0dca\u200d\u0dbb")]
    [True, False, True]
    """
    if text[place] not in _JOINERS or not 0 < place < len(text) - 1:
        return False
    before, after = text[place - 1], text[place + 1]
    joins = all(unicodedata.bidirectional(sign) == "AL" for sign in (before, after))
    return joins or unicodedata.combining(before) == _VIRAMA


def is_visible(text: str) -> bool:
    """Return whether a normalized string has only visible characters.

    A zero-width joiner is considered visible if the spelling needs it.

    >>> is_visible("Ann B"), is_visible("Ann" + chr(7)), is_visible("a" + chr(0xE000))
    (True, False, False)
    """
    return "".join(sign for sign in text if sign not in _JOINERS).isprintable()
