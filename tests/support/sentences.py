"""A check that every part of the site's messages is in the German catalogue."""

import gettext
from pathlib import Path
from typing import Final, NoReturn

from cardgames.text import Text

GERMAN: Final = Path(__file__).parents[2] / "translations" / "de" / "LC_MESSAGES" / "cardgames.mo"


class Missing(gettext.NullTranslations):
    """Translations that raise an error for a string that is in no catalogue."""

    def gettext(self, message: str) -> NoReturn:
        raise AssertionError(f"no catalogue has {message!r}")

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> NoReturn:
        raise AssertionError(f"no catalogue has {msgid1!r} and {msgid2!r}")


with GERMAN.open("rb") as file:
    CATALOGUE: Final = gettext.GNUTranslations(file)
CATALOGUE.add_fallback(Missing())


def translatable(sentence: str) -> str:
    """Return a sentence, after checking that every part of it can be translated."""
    assert isinstance(sentence, Text), sentence
    sentence.translated(CATALOGUE)
    return sentence
