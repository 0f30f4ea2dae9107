"""How an address is handed on: as a QR code, and with a title, a sentence and a picture of its own.

Chats and learning platforms read those as Open Graph from the head of a page, without a session and
often without a language. They never name a card of a round that is still to be played.
"""

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Final

import flask
import segno

from cardgames.text import Text
from web.http import i18n
from web.http.static_files import FOLDER

SITE: Final = "site"
"""The picture of whatever has none of its own."""

EVERY_GAME: Final = Text("Card games for a class")
SAME_CARDS: Final = Text("The same cards for everyone")
"""What is written on the picture of the site, and on a game's."""

_QUIET: Final = 4  # number of white modules around a QR code, as its standard asks

_LOCALES: Final = {"en": "en_GB", "de": "de_DE"}


@dataclass(frozen=True, slots=True)
class Preview:
    """What is shown of an address where it is sent; all of it in one language."""

    address: str
    """The whole address, the host with it."""

    title: str
    description: str
    picture: str
    """The whole address of a picture of 1200 by 630 pixels."""

    locale: str


def preview(address: str, subject: str, title: Text, description: Text, language: str) -> Preview:
    """Return what is shown of an address.

    Args:
        address: the address, the host with it.
        subject: a game's slug, or :data:`SITE`.
        title: the title.
        description: the sentence below it.
        language: the code of its language.
    """
    catalogue, picture = i18n.catalogue(language), _picture(subject, language)
    return Preview(
        address=address,
        title=title.translated(catalogue),
        description=description.translated(catalogue),
        picture=flask.url_for("static", filename=f"previews/{picture}", _external=True),
        locale=_LOCALES.get(language, language),
    )


def _picture(subject: str, language: str) -> str:
    """Return the name of the picture of a subject in a language, or of the site's."""
    names = (f"{subject}-{language}.jpg", f"{SITE}-{language}.jpg", f"{SITE}-en.jpg")
    return next((name for name in names if (FOLDER / "previews" / name).exists()), names[-1])


@lru_cache(maxsize=256)
def inline_qr(text: str) -> str:
    """Return a QR code as an SVG element of a page, black on white in every theme."""
    code = segno.make(text, error="m", micro=False)
    return code.svg_inline(border=_QUIET, dark="#000", light="#fff", svgclass="qr", omitsize=True)


def svg_qr(text: str) -> bytes:
    """Return a QR code as a picture of its own, black on white."""
    out = BytesIO()
    code = segno.make(text, error="m", micro=False, boost_error=False)
    code.save(out, kind="svg", border=_QUIET, dark="#000", light="#fff", xmldecl=False, nl=False)
    return out.getvalue()
