"""The sentences of the site: every text in them is one that the languages' catalogues have."""

import gettext
from pathlib import Path
from typing import Final, NoReturn

from cardgames.text import Text

GERMAN: Final = Path(__file__).parents[2] / "translations" / "de" / "LC_MESSAGES" / "cardgames.mo"


class Missing(gettext.NullTranslations):
    """Rejects a text that no catalogue has."""

    def gettext(self, message: str) -> NoReturn:
        raise AssertionError(f"no catalogue has {message!r}")

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> NoReturn:
        raise AssertionError(f"no catalogue has {msgid1!r} and {msgid2!r}")


with GERMAN.open("rb") as file:
    CATALOGUE: Final = gettext.GNUTranslations(file)
CATALOGUE.add_fallback(Missing())


def translatable(sentence: str) -> str:
    """Return a sentence of which every part can be said in every language."""
    assert isinstance(sentence, Text), sentence
    sentence.translated(CATALOGUE)
    return sentence
