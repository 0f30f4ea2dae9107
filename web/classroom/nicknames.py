"""What a student is called in a class: offered, or chosen freely within reason."""

import random
import re
import unicodedata
from collections.abc import Collection
from typing import Final

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom.nickname_words import WORDS

OFFERS: Final = 6
"""So many are offered at a time."""

MIN_LENGTH: Final = 2
MAX_LENGTH: Final = 24
MAX_REAL_LENGTH: Final = 80

NO_NICKNAME: Final = Text(
    "A nickname has {least} to {most} characters, all of them visible.",
    least=MIN_LENGTH,
    most=MAX_LENGTH,
)
NOT_OFFERED: Final = Text("Choose one of the nicknames that are offered.")
NO_REAL_NAME: Final = Text(
    "A real name has at most {most} characters, all of them visible.", most=MAX_REAL_LENGTH
)

_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Categories of characters that show nothing, turn the direction of writing, or are none."""

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
        BadName: it is too short or long, or has characters that nobody can see.
    """
    name = _tidied(sent)
    if name is None or not MIN_LENGTH <= len(name) <= MAX_LENGTH or not name_key(name):
        raise BadName(NO_NICKNAME)
    return name


def checked_real_name(sent: str) -> str:
    """Return a real name as it is kept; empty if none is given.

    Raises:
        BadName: it is too long, or has characters that nobody can see.
    """
    name = _tidied(sent)
    if name is None or len(name) > MAX_REAL_LENGTH:
        raise BadName(NO_REAL_NAME)
    return name


def name_key(name: str) -> str:
    """Return what two names have in common that are told apart by case, accents or blanks alone.

    >>> name_key("Zoë") == name_key("ZOE"), name_key("Quiet  Otter")
    (True, 'quietotter')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _blanks.sub("", letters.casefold())


def roster_key(name: str) -> tuple[str, ...]:
    """Return what a name on a list and one that a student has typed have in common.

    >>> roster_key("Müller, Anna Maria") == roster_key("anna maria MULLER")
    True
    """
    return tuple(sorted(name_key(part) for part in re.split(r"[\s,;]+", name) if name_key(part)))


def _tidied(sent: str) -> str | None:
    """Return a name in one form, or None if nobody could see all of it."""
    name = _blanks.sub(" ", unicodedata.normalize("NFKC", sent)).strip()
    return None if any(unicodedata.category(sign) in _UNSEEN for sign in name) else name
