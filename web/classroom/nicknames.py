"""What a student is called in a class: offered, or chosen freely within reason.

Unicode's own lists (UTS 39) are not in the standard library. Instead of refusing what is known to
be confusing, only what names are written with is accepted: the first word of a character's Unicode
name tells its alphabet.
"""

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
"""Number of nicknames that are offered at a time."""

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

_chance: Final = random.SystemRandom()


_LISTS: Final = Path(__file__).with_name("nicknames.txt").read_text(encoding="utf-8").split("\n\n")
WORDS: Final = {
    "en": (_LISTS[1].split(), _LISTS[2].split()),
    "de": (_LISTS[3].split(), _LISTS[4].split()),
}
"""Adjectives and nouns of offered nicknames by language."""


def offers(language: str, taken: Collection[str]) -> tuple[str, ...]:
    """Return nicknames by chance that nobody has."""
    adjectives, nouns = WORDS.get(language) or next(iter(WORDS.values()))
    found: list[str] = []
    while len(found) < OFFERS:
        name = f"{_chance.choice(adjectives)} {_chance.choice(nouns)}"
        noun = name.partition(" ")[2]
        if name_key(name) not in taken and not any(other.endswith(f" {noun}") for other in found):
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
        CardGameError: it is too short or long, or has other characters than names are written with.
    """
    name = _tidied(sent[:MAX_SENT].translate(_SPELLINGS))
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH or not is_plain_name(name) or not name_key(name):
        raise CardGameError(NICKNAME_RULE)
    return name


def checked_real_name(sent: str) -> str:
    """Return a real name as it is kept; empty if none is given.

    Raises:
        CardGameError: it is too long, or has characters that nobody can see.
    """
    name = _tidied(sent)
    if len(name) > MAX_REAL_LENGTH or not is_visible(name):
        raise CardGameError(NO_REAL_NAME)
    return name


@lru_cache(4_096)  # each form to join asks for those of the whole class: 3 of 4 ms at 400
def name_key(name: str) -> str:
    """Return what two nicknames have in common that look the same.

    That is all but case, accents, blanks and punctuation, with one letter for all that look alike
    in different alphabets.

    >>> name_key("Zoë") == name_key("ZOE"), name_key("Ben-10"), name_key("бегемот")
    (True, 'benlo', '6eremot')
    """
    return _plain(name).translate(_LOOK_ALIKES)


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
    return " ".join(unicodedata.normalize("NFKC", sent[:MAX_SENT]).split())


MAX_MARKS: Final = 4
"""Maximum number of marks in a row: a letter's vowel signs and tone."""

MAX_ACCENTS: Final = 2
"""The same of accents, beside one that makes a letter with its own place in Unicode."""

_ALPHABETS: Final = (
    *(frozenset((name,)) for name in ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN")),
    *(frozenset((name,)) for name in ("HEBREW", "ARABIC", "ETHIOPIC", "DEVANAGARI", "BENGALI")),
    *(frozenset((name,)) for name in ("GURMUKHI", "GUJARATI", "TAMIL", "TELUGU", "KANNADA")),
    *(frozenset((name,)) for name in ("MALAYALAM", "SINHALA", "THAI", "LAO", "KHMER", "MYANMAR")),
    frozenset(("HANGUL",)),
    frozenset(("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA")),
)
"""What counts as one alphabet; Chinese and Japanese share theirs."""

_ACCENTED: Final = frozenset(("LATIN", "GREEK", "CYRILLIC"))
"""The alphabets whose accents are Unicode's common ones."""

_COMMON_ACCENTS: Final = frozenset(map(chr, (*range(0x300, 0x30D), *range(0x323, 0x332))))
_LAST_PLAIN_LATIN: Final = "\u017f"
"""After this Latin has phonetic letters, many of which look like ordinary ones."""

_LAST_CYRILLIC: Final = "\u052f"
"""After this Cyrillic has letters of old manuscripts."""

_MORE_LATIN: Final = frozenset("ƏəẞƁɓƊɗƎǝƐɛƆɔƘƙ")
"""Letters of Azerbaijan, Germany and West Africa that are further on."""

_SIGNS: Final = frozenset("々ーゝゞヽヾๆໆ")
"""Signs that repeat or lengthen a letter; others of their category only stretch the line."""

_INVISIBLE: Final = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800),
            *(0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),
        ),
    )
)
"""Letters, marks and symbols that show nothing."""

_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Categories of characters that show nothing, turn the direction of writing, or are none."""

_LOOK_ALIKES: Final = str.maketrans(
    "авьгԁезіјкӏмнорԛсѕтуүѵԝхһб" + "αβγεζηικμνορστυχω" + "ıȷĸłøđħɓɗƙ" + "10",
    "abbrde3ijklmhopqcstyyvwxh6" + "abyezhikmnopotyxw" + "ijklodhbdk" + "lo",
)
"""Small letters and digits that look like a Latin letter, or whose capitals do."""


def is_visible(text: str) -> bool:
    """Say whether every character of a text shows something.

    >>> is_visible("Ann B"), is_visible("Ann" + chr(0x200B)), is_visible(chr(0x2800))
    (True, False, False)
    """
    return not any(sign in _INVISIBLE or unicodedata.category(sign) in _UNSEEN for sign in text)


def is_plain_name(text: str) -> bool:
    """Say whether a text has only letters of one alphabet, digits, and what joins them in names.

    >>> [is_plain_name(name) for name in ("Jean-Luc 2", "Алёна", "佐々木ケン", "Юлиya")]
    [True, True, True, False]
    """
    alphabets: set[str] = set()
    marks = 0
    for sign in text:
        category = unicodedata.category(sign)
        marks = marks + 1 if category.startswith("M") else 0
        if sign in _COMMON_ACCENTS:
            if marks > MAX_ACCENTS or not alphabets or not alphabets <= _ACCENTED:
                return False
        elif marks:
            if marks > MAX_MARKS or sign in _INVISIBLE or _alphabet_of(sign) not in alphabets:
                return False
        elif sign not in " -'.0123456789":
            if not _is_letter(sign, category):
                return False
            alphabets.add(_alphabet_of(sign))
    return not alphabets or any(alphabets <= alphabet for alphabet in _ALPHABETS)


def _alphabet_of(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0]


def _is_letter(sign: str, category: str) -> bool:
    """Say whether a character is a letter that names are written with."""
    if sign in _SIGNS:
        return True
    if category not in ("Lu", "Ll", "Lo") or sign in _INVISIBLE:
        return False
    match _alphabet_of(sign):
        case "LATIN":
            base = unicodedata.normalize("NFD", sign)[0]
            return category != "Lo" and (base <= _LAST_PLAIN_LATIN or base in _MORE_LATIN)
        case "CYRILLIC":
            return sign <= _LAST_CYRILLIC
        case "HANGUL":
            return "가" <= sign <= "힣"  # whole syllables
    return True
