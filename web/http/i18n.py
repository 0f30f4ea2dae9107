"""The languages of the pages: which one a reader gets, and how templates speak it.

English is written in the code and the templates; the other languages are gettext catalogues in
``translations/``, made and checked by ``make words``. A template prints a
:class:`~cardgames.text.Text` and it comes out in the reader's language. There is a Jinja
environment for each language, so a sentence without fields is translated once, when the template
is compiled. JSON is for programs and stays English.
"""

import gettext
from collections.abc import Callable, Hashable, Iterator, MutableMapping
from functools import cache, lru_cache, partial
from typing import Any, Final, cast

import flask
from flask.globals import request_ctx
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from cardgames import GAMES
from cardgames.text import Text, format_number, plural
from web.http.addresses import quote_path
from web.settings import ROOT

FOLDER: Final = ROOT / "translations"

LANGUAGES: Final = {"en": "English", "de": "Deutsch"}
"""Every language by its code, by the name that its readers call it; the first is the default."""

COOKIE: Final = "language"
"""Where a reader's own choice is kept. It names a language and nothing else."""

_AT_START: Final = frozenset(
    (
        *(f"{slug}.html" for slug in GAMES),
        *("base.html", "lobby.html", "error.html", "_site.html"),
        *("table.html", "play.html", "twentyone.html", "plain.html", "puzzles/puzzle.html"),
        *("_play.html", "_coach.html", "_charts.html", "_bingo.html"),
        *("class/dashboard.html", "class/projector.html", "class/print.html"),
    )
)
"""The templates of the lobby and the tables, and others that take more than 50 ms to compile."""

Catalogue = gettext.NullTranslations

ENGLISH: Final = Catalogue()
"""The catalogue of the language that the sentences are written in."""


class Sentences(Extension):
    """Translates a template's sentences without fields, ``_("…")``, while it is compiled."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Put a text of the language in place of each such sentence."""
        tokens, here = list(stream), 0
        while here < len(tokens):
            match [(token.type, token.value) for token in tokens[here : here + 4]]:
                case [("name", "_"), ("lparen", _), ("string", sentence), ("rparen", _)]:
                    catalogue = cast("Catalogue", self.environment.globals["catalogue"])
                    text = catalogue.gettext(sentence)
                    yield Token(tokens[here].lineno, "string", text)
                    here += 4
                case _:
                    yield tokens[here]
                    here += 1


class PageEnvironment(Environment):
    """The templates in a language, whose globals are one dictionary."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return what a template knows as a plain dictionary.

        Jinja chains two, and copies the chain for every page: that was a fifth of its cost.
        """
        return {**self.globals, **(d or {})}


def translate(value: Any, catalogue: Catalogue) -> Any:
    """Return a text in a language, and anything else as it is."""
    return value.translated(catalogue) if isinstance(value, Text) else value


def localized(code: str, catalogue: Catalogue) -> Environment:
    """Return the templates in a language.

    Args:
        code: the language's code.
        catalogue: its sentences.
    """
    is_english = catalogue is ENGLISH

    def translated(sentence: str, /, **values: Any) -> str:
        return Text(sentence, **values).translated(catalogue)

    found = PageEnvironment(
        loader=FileSystemLoader(ROOT / "templates"),
        extensions=[Sentences],
        finalize=None if is_english else partial(translate, catalogue=catalogue),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,  # a name that is not there is a fault, not an empty string
        cache_size=-1,  # all of them: they are few, and a cache with an end is searched at each use
        auto_reload=False,
    )
    found.filters["quote_path"] = quote_path
    found.globals |= {
        "_": Text if is_english else translated,
        "plural": plural,
        "format_number": format_number,
        "remembered": remembered,
        "language": code,
        "languages": LANGUAGES,
        "catalogue": catalogue,
    }
    return found


@lru_cache(maxsize=2_048)
def remembered(macro: Callable[..., Markup], *values: Hashable) -> Markup:
    """Return what an imported macro makes of some values; of the same ones it makes it once.

    It is for macros that see nothing but their values, and are asked the same thing by many: the
    header, a pile of cards. Each language has macros of its own, so it remembers for each.
    """
    return macro(*values)


def register(app: flask.Flask) -> None:
    """Give an app's pages every language."""
    app.extensions["languages"] = dict(_environments())


@cache
def _environments() -> dict[str, Environment]:
    """Return the templates in every language, which all apps of this process share.

    So the workers have what was compiled before they were forked.
    """
    return {code: localized(code, catalogue(code)) for code in LANGUAGES}


def compile_templates() -> None:
    """Compile the most used and the slowest templates in every language, so that nobody waits.

    All of them take more than a second, which a server should not be late: any other is compiled
    when its page is first asked for.
    """
    for environment in _environments().values():
        for name in environment.list_templates(filter_func=_AT_START.__contains__):
            environment.get_template(name)


@cache
def catalogue(code: str) -> Catalogue:
    """Return the catalogue of a language."""
    if code == next(iter(LANGUAGES)):
        return ENGLISH
    return gettext.translation("cardgames", FOLDER, [code])


def negotiated() -> str:
    """Return the code of the reader's language: what they chose, or what their browser asks for."""
    return language_of(request_ctx.request)


def language_of(request: flask.Request) -> str:
    """Return the code of the language of a request's reader."""
    cookies = request.cookies
    if COOKIE in cookies and cookies[COOKIE] in LANGUAGES:
        return cookies[COOKIE]
    return _language_asked_for(request.environ.get("HTTP_ACCEPT_LANGUAGE", ""))


@lru_cache(maxsize=256)
def _language_asked_for(header: str) -> str:
    """Return the code of the language that an ``Accept-Language`` asks for; most are the same."""
    for tag, quality in parse_accept_header(header, LanguageAccept):
        code = tag.partition("-")[0].lower()  # of de-AT only de counts
        if quality > 0 and code in LANGUAGES:  # the header is sorted by what is liked best
            return code
    return next(iter(LANGUAGES))


def templates(request: flask.Request) -> Environment:
    """Return the templates in the language of a request's reader."""
    environments: dict[str, Environment] = flask.current_app.extensions["languages"]
    return environments[language_of(request)]
