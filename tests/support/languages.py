"""An invented language, and a reader that finds untranslated text on pages.

The language has full-width letters. A plain letter on a page is therefore part of a string that was
not translated, or that was joined from fragments.
"""

import gettext
import re
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import flask
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.games.war.rules import PEOPLE
from tests.support.games import HighCard, LastingHighCard
from tests.support.site import look, send
from web.http.i18n import FOLDER, LANGUAGES


def catalogued(path: Path) -> Catalog:
    """Return a catalogue, loaded from its file."""
    with path.open("rb") as file:
        return read_po(file)


def messages(catalog: Catalog) -> list[Message]:
    """Return the messages that a catalogue translates."""
    return [message for message in catalog if message.id]


@cache
def texts() -> set[str]:
    """Return every text that a catalogue contains. No other text can be translated.

    ``tests/web/test_language.py`` compares the catalogue with the texts of the code, which takes
    much longer to extract.
    """
    german = catalogued(FOLDER / "de" / "LC_MESSAGES" / "cardgames.po")
    ids = [message.id for message in messages(german)]
    return {text for one in ids for text in (one if isinstance(one, tuple) else (one,))}


class Wide(gettext.NullTranslations):
    """The invented language. Every sentence is in brackets and has full-width letters."""

    def gettext(self, message: str) -> str:
        # The last item is a format pattern, not words.
        if message not in texts() or message == "1,234.5%":
            return message
        return f"⟦{wide(message)}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


WIDE: Final = Wide()


@cache
def wide(sentence: str) -> str:
    """Return a sentence with full-width letters (from U+FF21) and unchanged fields."""
    return re.sub(
        r"\{[^{}]*\}|[A-Za-z]",
        lambda found: found[0] if "{" in found[0] else chr(ord(found[0]) + 0xFEE0),
        sentence,
    )


# ---- Texts without a translation ---------------------------------------------------------------

_OWN: Final = ("Ann", "Zoë", "mine.txt")
"""The players' names and the file's name in these tests."""


def _plain_texts() -> Iterator[str]:
    """Yield the texts of the tests' own games, which are not translated."""
    for game in (HighCard(), LastingHighCard()):
        info, moves = game.info, (game.deals, *game.round_moves)
        yield from (info.pitch, *info.winners.values(), *(move.label for move in moves))
        yield from (text for rule in info.rules for text in (rule.title, rule.text))
        yield from (text for deck in game.deals.decks.values() for text in (deck.title, deck.offer))
        yield from (name.capitalize() for name in game.empty.__dataclass_fields__)
    yield from ("You win", "The house wins", "Even")


_NAMES: Final = (
    *(game.info.title for game in GAMES.values()),
    *("Cardgames", "BINGO!", "GMT"),
    *map(str, [*PEOPLE.values()][1:]),
    *LANGUAGES.values(),
    *(text.rstrip(".?") for text in _plain_texts()),
)
"""Names that do not change in any language."""

_CODES: Final = re.compile(r"\b(?:[2-9TJQKA][CDHS]|[A-Z]|10)\b")
"""The two characters of a card, and single letters: keys, modes, players A and B, and ranks on
faces.
"""

_HASH: Final = re.compile(r"\b[0-9a-f]{32,}\b")
"""The server's commitment to a shuffle, which a client can verify."""

_MACHINE: Final = (
    *("mode", "players", "deck", "wrong", "all", *GAMES, "twentyone"),
    *("hard", "soft", "below", "dealer", "best", "JavaScript"),
    *("experiment", "speed", "play", "table"),
)
"""The names and values of fields that messages quote."""

_SPOKEN: Final = ("alt", "title", "aria-label", "aria-description", "placeholder", "label")
_VOID: Final = {"meta", "link", "img", "input", "br", "hr", "rect", "path", "polyline"}


class Words(HTMLParser):
    """A parser that collects all text and all links of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.links: set[str] = set()
        self._inside: list[str] = []
        self._quoted = 0
        """Number of open elements that declare a language, because some docs exist only in English.
        """

        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "html" and tag not in _VOID and (self._quoted or dict(attrs).get("lang")):
            self._quoted += 1
        if not self._quoted:
            self.said += [value for name, value in attrs if name in _SPOKEN and value]
        self.links |= {value for name, value in attrs if (tag, name) == ("a", "href") and value}
        if tag not in _VOID:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._inside:
            self._quoted = max(0, self._quoted - 1)
            if self._inside.pop() == tag:
                break

    def handle_data(self, data: str) -> None:
        # Text fields contain a user's input, and code is not translated.
        if not self._quoted and not {"script", "style", "textarea", "pre", "code"} & set(
            self._inside
        ):
            self.said.append(data)


_WHOLE: Final = re.compile(r"⟦[^⟦⟧]*⟧")


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


_UNQUOTED: Final = _any_of((*_OWN, *_NAMES))
_QUOTED: Final = _any_of((*_OWN, *_NAMES, *_MACHINE))


@cache
def forgotten(said: str) -> str:
    """Return the parts of a string that did not come from a catalogue.

    Parts that were joined from fragments count as well.
    """
    pieces = said
    while (outer := _WHOLE.sub(lambda whole: _outer(whole[0]), pieces)) != pieces:
        pieces = outer
    if re.search(r"[^.!?:…]\uE001\s*\uE000", pieces):
        return said
    rest = (_QUOTED if said.strip().startswith("⟦") else _UNQUOTED).sub("", said)
    rest = _HASH.sub("", _CODES.sub("", rest))
    return " ".join(re.findall(r"[a-zA-Zäöüß]+", rest))


def _outer(whole: str) -> str:
    return f"\ue000{whole[1:-1]}\ue001"


FEW: Final = 4
"""Maximum number of pages of one kind that are read."""


class Reader:
    """A reader of the invented language, who reads every word of every page."""

    def __init__(self, app: flask.Flask) -> None:
        self.client = app.test_client()
        self.client.set_cookie("cardgames-language", "de")
        self.links: set[str] = set()
        self.read_so_far: set[str] = set()

    def read(self, response: TestResponse | flask.Response, what: str = "") -> str:
        """Check every word of a page, and return the page."""
        page = response.get_data(as_text=True)
        words = Words(page)
        missed = {said.strip(): forgotten(said) for said in words.said if forgotten(said)}
        assert not missed, f"{what}: {missed}"
        assert any("⟦" in said for said in words.said)
        self.links |= words.links
        return page

    def get(self, path: str, status: int = 200) -> str:
        self.read_so_far.add(path)
        response = self.client.get(path)
        assert response.status_code == status, path
        return self.read(response, path)

    def play(self, path: str, move: str, status: int | tuple[int, ...] = 303, **fields: Any) -> str:
        """Make a legal or illegal move, read the page, and return the page's phase."""
        response = send(self.client, {"move": move, **fields}, path, {})
        allowed = status if isinstance(status, tuple) else (status,)
        assert response.status_code in allowed, (path, move, fields)
        if response.status_code == 303:
            self.get(path)
        else:
            self.read(response, f"{path}: {move} refused")
        phase: str = look(self.client, path)["view"]["phase"]
        return phase

    def follow(self, about: str = "") -> None:
        """Read all unread linked pages of the complete site or of one game."""
        while left := {link for link in self.links if self._is_new(link, about)}:
            for link in (link for link in sorted(left) if self._is_new(link, about)):
                self.read_so_far.add(link.partition("#")[0])
                response = self.client.get(link.partition("#")[0], follow_redirects=True)
                self.read_so_far.add(response.request.path)
                if response.mimetype == "text/html" and response.status_code == 200:
                    self.read(response, link)

    def _is_new(self, link: str, about: str) -> bool:
        path = link.partition("#")[0]
        if not path.startswith("/") or path in self.read_so_far:
            return False
        # a document that is written separately in each language, not translated
        if path.startswith("/class/guide"):
            return False
        kind = _kind(path)
        if about not in kind and path not in ("/", "/deals", "/history"):
            return False
        return sum(_kind(read) == kind for read in self.read_so_far) < FEW


@cache
def _kind(path: str) -> str:
    """Return a URL without numbers and long names.

    All pages of one kind then have the same URL.

    A page whose link back contains the previous page's URL is therefore counted only once.
    """
    return re.sub(r"(?<=[?&]to=).*|[\w.~%=+-]{24,}|\d+", "#", path)
