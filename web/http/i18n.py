"""The languages of the pages.

The code and the templates contain the English texts. The other languages are gettext catalogues in
``translations/``, updated by ``make words``. A template translates ``_("…")`` and every
:class:`~cardgames.text.Text` into the user's language, which is in a context variable while a page
is rendered. JSON is always English.
"""

import gettext
from collections.abc import Callable, Hashable, MutableMapping
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any, Final

import flask
from jinja2 import BytecodeCache, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from cardgames.text import Text, format_number, format_points, plural
from web.http.addresses import quote_path
from web.settings import ROOT

FOLDER: Final = ROOT / "translations"

LANGUAGES: Final = {"en": "English", "de": "Deutsch"}
"""The name of each language in the language itself, keyed by language code.

The first language is the default.
"""

COOKIE: Final = "cardgames-language"
"""The cookie with the language that the user has chosen."""

Catalogue = gettext.NullTranslations

ENGLISH: Final = Catalogue()
"""The catalogue of the source language."""


_spoken: Final[ContextVar[Catalogue]] = ContextVar("spoken", default=ENGLISH)
"""The language of the page that is being rendered."""


class CompiledTemplates(BytecodeCache):
    """The compiled templates, shared by all apps of this process and its workers."""

    _codes: Final[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's code if the template was already compiled."""
        if code := self._codes.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Save the compiled code of a template."""
        self._codes[bucket.key] = bucket.bytecode_to_string()


class Environment(flask.templating.Environment):
    """The Jinja environment, whose globals are complete before any template is loaded."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return a template's globals in a single dictionary.

        Jinja would chain two mappings, so that later changes to the globals take effect. In that
        chain, it searches for every global at each ``import``, which takes a tenth of a page's
        Python calls.
        """
        return {**self.globals, **(d or {})}


def set_language() -> str:
    """Set the next page's language to the user's language, and return its code."""
    code = request_language()
    _spoken.set(flask.current_app.extensions["languages"][code])
    return code


def translate(text: str, /, **values: Any) -> str:
    """Return a string in the language of the page."""
    return Text(text, **values).translated(_spoken.get()) if values else _spoken.get().gettext(text)


def translate_output(value: Any) -> Any:
    """Return a value for a template, with a Text in the page's language.

    Any other value is unchanged.
    """
    return value.translated(_spoken.get()) if isinstance(value, Text) else value


def _cached_macro() -> Callable[..., Markup]:
    """Return a function that calls an imported macro and caches the result.

    Use it only for macros whose output depends only on their values and the language, such as a
    pile of cards.
    """

    # Without this cache, a hit and its page take 6% longer. Bingo cards that are covered by hand
    # have up to 5,000 different tiles: 52 cards at 24 positions, covered or not, in two languages.
    # The other entries are mostly rows of these cards.
    @lru_cache(maxsize=8_192)
    def known(_: Catalogue, macro: Callable[..., Markup], *values: Hashable) -> Markup:
        return macro(*values)

    return lambda macro, *values: known(_spoken.get(), macro, *values)


def register(app: flask.Flask) -> None:
    """Register the app's templates and languages."""
    app.extensions["languages"] = {code: catalogue(code) for code in LANGUAGES}
    app.jinja_environment = Environment
    app.jinja_options = {
        "autoescape": True,
        "trim_blocks": True,
        "lstrip_blocks": True,
        # A missing name raises an error instead of rendering an empty string.
        "undefined": StrictUndefined,
        "finalize": translate_output,
        "bytecode_cache": CompiledTemplates(),
        "cache_size": -1,  # The cache is unlimited, because a limited cache costs time at each use.
        "auto_reload": False,
    }
    app.jinja_env.filters |= {"quote_path": quote_path, "points": format_points}
    app.jinja_env.globals |= {
        "_": translate,
        "plural": plural,
        "format_number": format_number,
        "remembered": _cached_macro(),
        "languages": LANGUAGES,
    }


def compile_templates(app: flask.Flask) -> None:
    """Compile the templates before the first request.

    The templates of classes and puzzles are excluded. Compiling all templates takes more than a
    second, so the other templates are compiled on first use.
    """
    for name in app.jinja_env.list_templates():
        if not name.startswith(("class/", "puzzles/")):
            app.jinja_env.get_template(name)


@cache
def catalogue(code: str) -> Catalogue:
    """Return the catalogue of a language."""
    if code == next(iter(LANGUAGES)):
        return ENGLISH
    return gettext.translation("cardgames", FOLDER, [code])


def request_language() -> str:
    """Return the code of the user's chosen language, or of the browser's language."""
    cookies, header = flask.request.cookies, flask.request.headers.get("Accept-Language", "")
    if COOKIE in cookies and cookies[COOKIE] in LANGUAGES:
        return cookies[COOKIE]
    for tag, quality in parse_accept_header(header, LanguageAccept):
        code = tag.partition("-")[0].lower()  # "de" of "de-AT"
        if quality > 0 and code in LANGUAGES:  # The languages are sorted by quality.
            return code
    return next(iter(LANGUAGES))
