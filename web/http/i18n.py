"""The languages of the pages: which one a reader gets, and how templates speak it.

English is written in the code and the templates; the other languages are gettext catalogues in
``translations/``, made and checked by ``make words``. A template prints a
:class:`~cardgames.words.Text` and it comes out in the reader's language. There is a Jinja
environment for each language, so a sentence without fields is translated once, when the template
is compiled. JSON is for programs and stays English.
"""

import gettext
from collections.abc import MutableMapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import flask
from flask.templating import Environment
from jinja2 import nodes
from jinja2.visitor import NodeTransformer
from werkzeug.http import parse_accept_header

from cardgames.text import Text, format_number, plural

FOLDER: Final = Path(__file__).parents[2] / "translations"

LANGUAGES: Final = {"en": "English", "de": "Deutsch"}
"""Every language by its code, by the name that its readers call it; the first is the default."""

COOKIE: Final = "language"
"""Where a reader's own choice is kept. It names a language and nothing else."""

_LONGEST: Final = 200
"""How much of a browser's list of languages is read, and remembered: theirs are shorter."""

Catalogue = gettext.NullTranslations

ENGLISH: Final = Catalogue()
"""The catalogue of the language that the sentences are written in."""


class LocalizedEnvironment(Environment):
    """Templates that speak one language."""

    catalogue: Catalogue = ENGLISH

    def localized(self, code: str, catalogue: Catalogue) -> "LocalizedEnvironment":
        """Return the same templates in another language."""

        def finalize(value: Any) -> Any:  # runs for whatever a page prints: one call, not two
            return value.translated(catalogue) if isinstance(value, Text) else value

        other = self.overlay(finalize=finalize)
        other.catalogue = catalogue
        other.globals = {**self.globals, "language": code}
        return other

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return what every template knows as one plain dictionary.

        Jinja chains two, and copies the chain for every page: that was a tenth of its cost.
        """
        return {**self.globals, **(d or {})}

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,  # noqa: FBT001, FBT002 - Jinja's own signature
    ) -> str:
        """Translate what needs no values while the template is compiled, not in every page."""
        _Constants(self.catalogue).visit(source)
        return super()._generate(source, name, filename, defer_init)


class _Constants(NodeTransformer):
    """Puts a language's words in the place of every ``_("…")`` without values."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - Jinja's own name
        self.generic_visit(node)
        match node:
            case nodes.Call(
                node=nodes.Name(name="_"), args=[nodes.Const(value=str(text))], kwargs=[]
            ):
                return nodes.Const(self._catalogue.gettext(text), lineno=node.lineno)
        return node


def translate(value: Any, catalogue: Catalogue) -> Any:
    """Return a text in a language, and anything else as it is."""
    return value.translated(catalogue) if isinstance(value, Text) else value


def register(app: flask.Flask) -> None:
    """Give an app's pages every language. Its templates' globals must be complete by then."""
    english = cast("LocalizedEnvironment", app.jinja_env)
    first, *others = LANGUAGES
    english.globals.update(
        _=Text,
        plural=plural,
        format_number=format_number,
        language=first,
        languages=LANGUAGES,
    )
    app.extensions["languages"] = {first: english} | {
        code: english.localized(code, catalogue(code)) for code in others
    }


def catalogue(code: str) -> Catalogue:
    """Return the catalogue of a language."""
    if code == next(iter(LANGUAGES)):
        return ENGLISH
    return gettext.translation("cardgames", FOLDER, [code])


def negotiated() -> str:
    """Return the code of the reader's language: what they chose, or what their browser asks for."""
    chosen = flask.request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    return _negotiate(flask.request.headers.get("Accept-Language", "")[:_LONGEST])


def templates() -> LocalizedEnvironment:
    """Return the templates in the reader's language."""
    environments: dict[str, LocalizedEnvironment] = flask.current_app.extensions["languages"]
    return environments[negotiated()]


@lru_cache(maxsize=256)
def _negotiate(accepted: str) -> str:
    """Return the first of our languages in a header's order; of ``de-AT`` only ``de`` counts."""
    for tag, quality in parse_accept_header(accepted):
        code = tag.partition("-")[0].lower()
        if quality > 0 and code in LANGUAGES:
            return code
    return next(iter(LANGUAGES))
