"""Which characters a nickname may have, and which of them look alike.

Unicode's own lists (UTS 39) are not in the standard library. Instead of refusing what is known to
be confusing, only what names are written with is accepted: the first word of a character's Unicode
name tells its alphabet.
"""

import unicodedata
from typing import Final

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

    Args:
        text: a few characters at most, in Unicode's form NFKC.

    >>> [is_plain_name(name) for name in ("Jean-Luc 2", "Алёна", "佐々木ケン", "Юлиya")]
    [True, True, True, False]
    """
    alphabets: set[str] = set()
    marks = 0
    for sign in text:
        category = unicodedata.category(sign)
        marks = marks + 1 if category.startswith("M") else 0
        if marks:
            if marks > (MAX_ACCENTS if sign in _COMMON_ACCENTS else MAX_MARKS):
                return False
            if not _is_mark_of(sign, alphabets):
                return False
        elif sign not in " -'.0123456789":
            if not _is_letter(sign, category):
                return False
            alphabets.add(_alphabet_of(sign))
    return not alphabets or any(alphabets <= alphabet for alphabet in _ALPHABETS)


def fold_look_alikes(text: str) -> str:
    """Return a text in small letters with Latin ones for those that look like them.

    Args:
        text: case-folded, without accents.

    >>> fold_look_alikes("бегемот"), fold_look_alikes("player 1")
    ('6eremot', 'player l')
    """
    return text.translate(_LOOK_ALIKES)


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


def _is_mark_of(sign: str, alphabets: set[str]) -> bool:
    """Say whether a mark belongs to the letters before it."""
    if sign in _INVISIBLE:
        return False
    if sign in _COMMON_ACCENTS:
        return bool(alphabets) and alphabets <= _ACCENTED
    return _alphabet_of(sign) in alphabets
