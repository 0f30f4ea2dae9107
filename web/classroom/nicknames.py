"""What a student is called in a class: offered, or chosen freely within reason."""

import random
import re
import unicodedata
from collections.abc import Collection
from typing import Final

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom.alphabets import fold_look_alikes, is_plain_name, is_visible
from web.classroom.nickname_words import WORDS

OFFERS: Final = 6
"""So many are offered at a time."""

MIN_LENGTH: Final = 2
MAX_LENGTH: Final = 24
MAX_REAL_LENGTH: Final = 80

MAX_SENT: Final = 4 * MAX_REAL_LENGTH
"""Maximum number of characters of a sent name that are looked at."""

NICKNAME_RULE: Final = Text(
    "A nickname has {least} to {most} characters: letters of one alphabet, the digits 0 to 9, "
    "single spaces, hyphens, apostrophes and full stops.",
    least=MIN_LENGTH,
    most=MAX_LENGTH,
)
NOT_OFFERED: Final = Text("Choose one of the nicknames that are offered.")
NO_REAL_NAME: Final = Text(
    "A real name has at most {most} characters, all of them visible.", most=MAX_REAL_LENGTH
)

_PUNCTUATION: Final = str.maketrans("", "", "-'.")
_SPELLINGS: Final = {
    **dict.fromkeys((0x60, 0xB4, 0x2BB, 0x2BC, 0x2018, 0x2019), "'"),
    **dict.fromkeys((0x2010, 0x2011, 0x2013), "-"),
}
"""Apostrophes and hyphens as keyboards have them, in one spelling."""

_blanks: Final = re.compile(r"\s+")


class BadName(CardGameError):
    """A name that cannot be taken, in one sentence."""


def offers(language: str, taken: Collection[str], rng: random.Random) -> tuple[str, ...]:
    """Return nicknames by chance that nobody has.

    Args:
        language: whose words are used.
        taken: the keys of all nicknames of the class (:func:`name_key`).
        rng: the chance.
    """
    adjectives, nouns = WORDS.get(language) or next(iter(WORDS.values()))
    found: list[str] = []
    while len(found) < OFFERS:
        name = f"{rng.choice(adjectives)} {rng.choice(nouns)}"
        noun = name.partition(" ")[2]
        if name_key(name) not in taken and not any(one.endswith(f" {noun}") for one in found):
            found.append(name)
    return tuple(found)


def is_offered(name: str) -> bool:
    """Say whether a nickname is one of those that can be offered, in any language.

    >>> is_offered("Quiet Otter"), is_offered("Otter Quiet"), is_offered("Stiller Otter")
    (True, False, True)
    """
    adjective, _, noun = name.partition(" ")
    return any(adjective in adjectives and noun in nouns for adjectives, nouns in WORDS.values())


def checked_nickname(sent: str) -> str:
    """Return a nickname that somebody has chosen, as it is shown.

    Raises:
        BadName: it is too short or long, or has other characters than names are written with.
    """
    name = _tidied(sent[:MAX_SENT].translate(_SPELLINGS))
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH or not is_plain_name(name) or not name_key(name):
        raise BadName(NICKNAME_RULE)
    return name


def checked_real_name(sent: str) -> str:
    """Return a real name as it is kept; empty if none is given.

    Raises:
        BadName: it is too long, or has characters that nobody can see.
    """
    name = _tidied(sent)
    if len(name) > MAX_REAL_LENGTH or not is_visible(name):
        raise BadName(NO_REAL_NAME)
    return name


def name_key(name: str) -> str:
    """Return what two nicknames have in common that look the same.

    That is all but case, accents, blanks and punctuation, with one letter for all that look alike
    in different alphabets.

    >>> name_key("Zoë") == name_key("ZOE"), name_key("Quiet  Otter"), name_key("Ben-10")
    (True, 'quietotter', 'benlo')
    """
    return fold_look_alikes(_plain(name))


def roster_key(name: str) -> tuple[str, ...]:
    """Return what a name on a list and one that a student has typed have in common.

    >>> roster_key("Müller, Anna Maria") == roster_key("anna maria MULLER")
    True
    """
    return tuple(sorted(filter(None, map(_plain, re.split(r"[\s,;]+", name[:MAX_SENT])))))


def _plain(name: str) -> str:
    """Return a name without case, accents, blanks and punctuation."""
    letters = unicodedata.normalize("NFKD", name[:MAX_SENT].translate(_SPELLINGS).casefold())
    letters = letters.casefold()
    if not letters.isascii():
        letters = "".join(sign for sign in letters if not unicodedata.combining(sign))
    return "".join(letters.translate(_PUNCTUATION).split())


def _tidied(sent: str) -> str:
    """Return a name in one form."""
    return _blanks.sub(" ", unicodedata.normalize("NFKC", sent[:MAX_SENT])).strip()
