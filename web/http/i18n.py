"""The languages of the pages: which one a reader gets, and how templates speak it.

English is written in the code and the templates; the other languages are gettext catalogues in
``translations/``, made and checked by ``make words``. A template prints ``_("…")`` or a
:class:`~cardgames.text.Text`, and it comes out in the reader's language, which a context variable
holds while a page is made. JSON is for programs and stays English.
"""

import gettext
from collections.abc import Callable, Hashable
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
"""Every language by its code, by the name that its readers call it; the first is the default."""

COOKIE: Final = "cardgames-language"
"""Where a reader's own choice is kept. It names a language and nothing else."""

Catalogue = gettext.NullTranslations

ENGLISH: Final = Catalogue()
"""The catalogue of the language that the sentences are written in."""


_spoken: Final[ContextVar[Catalogue]] = ContextVar("spoken", default=ENGLISH)
"""The language of the page that is being made."""


class CompiledTemplates(BytecodeCache):
    """The code of the templates, which all apps of this process and its workers share."""

    _codes: Final[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in a template's code, if it was compiled before."""
        if code := self._codes.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template that was compiled."""
        self._codes[bucket.key] = bucket.bytecode_to_string()


def speak_to_reader(app: flask.Flask, **_: Any) -> None:
    """Let the page that is about to be made be in its reader's language."""
    _spoken.set(app.extensions["languages"][negotiated()])


def translate(text: str, /, **values: Any) -> str:
    """Return a sentence in the language of the page."""
    return Text(text, **values).translated(_spoken.get()) if values else _spoken.get().gettext(text)


def printed(value: Any) -> Any:
    """Return what a template prints: a text in the language of the page, or the value as it is."""
    return value.translated(_spoken.get()) if isinstance(value, Text) else value


def _remembering() -> Callable[..., Markup]:
    """Return a function that calls an imported macro with values; with the same ones only once.

    It is for macros that see nothing but their values, and are asked the same thing by many: the
    header, a pile of cards. It remembers for each language.
    """

    @lru_cache(maxsize=2_048)
    def known(_: Catalogue, macro: Callable[..., Markup], *values: Hashable) -> Markup:
        return macro(*values)

    return lambda macro, *values: known(_spoken.get(), macro, *values)


def register(app: flask.Flask) -> None:
    """Give an app its templates, and every language."""
    flask.before_render_template.connect(speak_to_reader, app)
    app.extensions["languages"] = {code: catalogue(code) for code in LANGUAGES}
    app.jinja_options = {
        "autoescape": True,
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": StrictUndefined,  # a name that is not there is a fault, not an empty string
        "finalize": printed,
        "bytecode_cache": CompiledTemplates(),
        "cache_size": -1,  # all: they are few, and a cache with an end is searched at each use
        "auto_reload": False,
    }
    app.jinja_env.filters |= {"quote_path": quote_path, "points": format_points}
    app.jinja_env.globals |= {
        "_": translate,
        "plural": plural,
        "format_number": format_number,
        "remembered": _remembering(),
        "languages": LANGUAGES,
    }


def compile_templates(app: flask.Flask) -> None:
    """Compile the templates but for the classes' and puzzles', so that nobody waits for it.

    All of them take more than a second, which a server should not be late: those are compiled when
    their page is first asked for.
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


def negotiated() -> str:
    """Return the code of the reader's language: what they chose, or what their browser asks for."""
    cookies, header = flask.request.cookies, flask.request.headers.get("Accept-Language", "")
    if COOKIE in cookies and cookies[COOKIE] in LANGUAGES:
        return cookies[COOKIE]
    return _language_asked_for(header)


@lru_cache(maxsize=256)
def _language_asked_for(header: str) -> str:
    """Return the code of the language that an ``Accept-Language`` asks for; most are the same."""
    for tag, quality in parse_accept_header(header, LanguageAccept):
        code = tag.partition("-")[0].lower()  # of de-AT only de counts
        if quality > 0 and code in LANGUAGES:  # the header is sorted by what is liked best
            return code
    return next(iter(LANGUAGES))
