"""The words: every one that a page says can be said in another language, and in German is.

Three questions. Can a text that is English be said anew (``cardgames/words.py``)? Are the
catalogues what the sources say, and the German one complete? And does anything reach a page without
going through a catalogue? For the last one every page is read in a language that does not exist:
its letters are wide, so whatever is still written in plain ones was forgotten or glued.
"""

import copy
import gettext
import pickle
import random
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import flask
import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po
from cardgames.words import Text, counted, figure, listed
from flask.testing import FlaskClient
from web.language import FOLDER, LANGUAGES, SpeakingEnvironment, catalogue
from werkzeug import exceptions
from werkzeug.test import TestResponse

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, Rank, Suit, parse_deck
from cardgames.game import IllegalMove
from cardgames.lab import Share, TwentyOneResult
from web import answers
from web import lab as web_lab
from web.settings import Settings

ROOT = Path(__file__).parent.parent
JSON = {"Accept": "application/json"}


class Wide(gettext.NullTranslations):
    """A language that does not exist: every letter of a sentence is wide, in brackets."""

    def gettext(self, message: str) -> str:
        if message not in TEXTS or message == "1,234.5%":  # the last is a pattern, not words
            return message
        return f"⟦{wide(message)}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def wide(sentence: str) -> str:
    """Return a sentence with every letter in its wide form (U+FF21 and on); its fields stay."""
    return re.sub(
        r"\{[^{}]*\}|[A-Za-z]",
        lambda found: found[0] if "{" in found[0] else chr(ord(found[0]) + 0xFEE0),
        sentence,
    )


def catalogued(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def messages(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]


TEXTS = {
    text
    for message in messages(catalogued(FOLDER / "cardgames.pot"))
    for text in (message.id if isinstance(message.id, tuple) else (message.id,))
}
"""Every text that a catalogue can have: of another one a language cannot say anything."""

WIDE = Wide()


# ---- A text ---------------------------------------------------------------------------------


def test_a_text_is_its_english_and_is_said_anew_from_what_it_was_made_of() -> None:
    text = Text("Dealer takes the {card}, value = {number}.", card=Text("ace"), number=11)
    assert text == "Dealer takes the ace, value = 11."
    assert (hash(text), {text: 1}[str(text)]) == (hash(str(text)), 1)
    assert text.said(WIDE) == wide("⟦Dealer takes the ⟦ace⟧, value = 11.⟧")
    assert Text("{braces} stay").said(gettext.NullTranslations()) == "{braces} stay"


@pytest.mark.parametrize(("number", "english"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards")])
def test_a_text_that_counts_takes_the_form_of_its_number(number: int, english: str) -> None:
    text = counted("{number} card", "{number} cards", number)
    assert text == english
    again = counted("{number} card", "{number} cards", 7).filled(number=number)
    assert again == english
    assert again.said(WIDE) == text.said(WIDE) == wide(f"⟦{english}⟧")


def test_a_list_is_said_one_by_one() -> None:
    assert listed([Text("Hit"), Text("Stay")]) == "Hit, Stay"
    among = Text("{names}.", names=listed([Text("Hit"), "Ann"]))
    assert among.said(WIDE) == f"⟦⟦{wide('Hit')}⟧, Ann⟧."


@pytest.mark.parametrize(
    ("number", "form", "english", "german"),
    [
        (1234567.891, ",.2f", "1,234,567.89", "1.234.567,89"),
        (0.125, ".1%", "12.5%", "12,5\u00a0%"),
        (-0.5, "+.3f", "-0.500", "-0,500"),
        (20_000, ",", "20,000", "20.000"),
    ],
)
def test_a_number_is_written_as_each_language_writes_it(
    number: float, form: str, english: str, german: str
) -> None:
    assert figure(number, form) == english
    assert figure(number, form).said(catalogue("de")) == german


def views() -> Iterator[Any]:
    moves = {
        "simple-21": [("deal", {}), ("stay", {})],
        "blackjack": [("deal", {}), ("stay", {})],
        "one-deck": [("deal", {}), ("stay", {})],
        "war": [("deal", {"players": "3", "names": "Ann"}), ("turn", {"turns": "all"})],
        "bingo": [("deal", {"mode": "C", "speed": "Y"}), ("call", {"calls": "all"})],
    }
    for slug, played in moves.items():
        game, rng = GAMES[slug], random.Random(4)
        state = game.start()
        for move, choices in played:
            state = game.play(state, move, choices, rng)
            yield game.page_view(state)
            yield game.verdict(state)
            yield game.moves(state)
        yield game.house_rules


def test_a_view_can_be_copied_kept_and_made_a_dict_of_and_its_texts_stay_translatable() -> None:
    for view in views():
        for again in (copy.copy(view), copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
            assert again == view
            assert said_in(again) == said_in(view)
        if hasattr(view, "messages"):
            assert list(asdict(view)["messages"]) == list(view.messages)
            assert said_in(asdict(view)["messages"]) == said_in(view.messages)


def said_in(value: Any) -> list[str]:
    """Return every text in a value, in the language that does not exist."""
    if isinstance(value, Text):
        return [value.said(WIDE)]
    if isinstance(value, dict):
        return [said for one in value.values() for said in said_in(one)]
    if isinstance(value, (tuple, list)):
        return [said for one in value for said in said_in(one)]
    fields = getattr(value, "__dataclass_fields__", ())
    return [said for name in fields for said in said_in(getattr(value, name))]


def test_what_is_refused_says_why_in_any_language_and_str_is_the_english() -> None:
    game = GAMES["simple-21"]
    with pytest.raises(IllegalMove) as caught:
        game.play(game.start(), "hit", {}, None)  # type: ignore[arg-type]
    assert str(caught.value) == "That move is not allowed now. You can choose: Deal, Start over."
    assert isinstance(caught.value.text, Text)
    assert caught.value.text.said(catalogue("de")) == (
        "Dieser Zug ist jetzt nicht erlaubt. Du hast die Wahl: Geben, Von vorn."
    )


# ---- The catalogues -------------------------------------------------------------------------


def test_the_template_is_what_the_sources_say(tmp_path: Path) -> None:
    """``make words`` has been run since a text was changed."""
    line = re.search(r"^EXTRACT := \$\(BIN\)/(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert line
    fresh = tmp_path / "fresh.pot"
    with chdir(ROOT):
        CommandLineInterface().run([*shlex.split(line[1]), "--output-file", str(fresh), "."])
    kept = catalogued(FOLDER / "cardgames.pot")
    assert [one.id for one in messages(catalogued(fresh))] == [one.id for one in messages(kept)]


OTHERS = [code for code in LANGUAGES if code != "en"]


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_text_and_no_other(code: str) -> None:
    catalog = catalogued(FOLDER / code / "LC_MESSAGES" / "cardgames.po")
    wanted = {one.id for one in messages(catalogued(FOLDER / "cardgames.pot"))}
    assert {one.id for one in messages(catalog)} == wanted
    assert not catalog.obsolete
    assert [one.id for one in messages(catalog) if one.fuzzy] == []
    assert [one.id for one in messages(catalog) if not all(sayings(one))] == []


def sayings(message: Message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)


def fields(sentence: str) -> set[str]:
    """Return what stands in braces, as it stands there."""
    return {
        f"{name}!{conversion}:{form}"
        for _, name, form, conversion in Formatter().parse(sentence)
        if name is not None
    }


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_fills_in_what_its_sentence_does(code: str) -> None:
    for message in messages(catalogued(FOLDER / code / "LC_MESSAGES" / "cardgames.po")):
        if isinstance(message.id, tuple):
            one, many = map(fields, message.id)
            first, *others = map(fields, sayings(message))
            assert first in (one, many), message.id
            assert all(other == many for other in others), message.id
        else:
            assert fields(message.string) == fields(message.id), message.id


@pytest.mark.parametrize("code", OTHERS)
def test_what_is_compiled_is_what_is_written(code: str) -> None:
    expected: dict[Any, str] = {}
    for message in messages(catalogued(FOLDER / code / "LC_MESSAGES" / "cardgames.po")):
        if isinstance(message.id, tuple):
            one, _ = message.id
            expected |= {(one, form): said for form, said in enumerate(message.string)}
        else:
            expected[message.id] = message.string
    compiled = catalogue(code)._catalog.items()  # type: ignore[attr-defined]
    assert {key: said for key, said in compiled if key} == expected


def test_cards_have_german_names() -> None:
    german = catalogue("de")
    said = {card: card.name_in_words.said(german) for card in FULL_DECK}
    assert (said[Card("QC")], said[Card("AS")]) == ("Kreuz-Dame", "Pik-Ass")
    assert (said[Card("TH")], said[Card("5D")]) == ("Herz-Zehn", "Karo-Fünf")
    suits = {Suit.CLUBS: "Kreuz", Suit.DIAMONDS: "Karo", Suit.HEARTS: "Herz", Suit.SPADES: "Pik"}
    ranks = dict(zip(Rank, ["Ass", *map(str, range(2, 11)), "Bube", "Dame", "König"], strict=True))
    for card, name in said.items():
        suit, _, rank = name.partition("-")
        assert suit == suits[card.suit]
        assert rank == ranks[card.rank] or ranks[card.rank].isdigit()
    assert len(set(said.values())) == 52


# ---- Which language -------------------------------------------------------------------------


def language_of(response: TestResponse) -> str:
    found = re.search(r'<html lang="([a-z]+)"', response.text)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        (None, "en"),
        ("", "en"),
        ("de", "de"),
        ("DE", "de"),
        ("de-AT", "de"),
        ("de-CH-1996, en;q=0.5", "de"),
        ("en;q=0.3, de;q=0.7", "de"),
        ("en-GB, de", "en"),
        ("en-US,en;q=0.9,de;q=0.8", "en"),
        ("fr, de;q=0.5", "de"),
        ("fr-FR, es", "en"),
        ("de;q=0", "en"),
        ("*", "en"),
        ("dee, d, e", "en"),
        (";;;q=,=,,\t", "en"),
        ("de" * 2000, "en"),
    ],
)
def test_the_browser_asks_for_a_language(
    client: FlaskClient, accepted: str | None, code: str
) -> None:
    headers = {} if accepted is None else {"Accept-Language": accepted}
    response = client.get("/", headers=headers)
    assert language_of(response) == code
    assert "Accept-Language" in response.headers["Vary"]
    assert "Cookie" in response.headers["Vary"]
    assert "Set-Cookie" not in response.headers


def test_a_reader_chooses_and_it_is_kept(client: FlaskClient) -> None:
    german = {"Accept-Language": "de"}
    page = client.get("/simple-21").text
    assert '<a href="/language/de?to=/simple-21" lang="de" hreflang="de">Deutsch</a>' in page
    response = client.get("/language/de?to=/simple-21")
    assert (response.status_code, response.headers["Location"]) == (303, "/simple-21")
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith("language=de; ")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"):
        assert part in cookie
    assert language_of(client.get("/simple-21")) == "de"
    client.get("/language/en")
    assert language_of(client.get("/simple-21", headers=german)) == "en"


def test_a_language_that_is_not_there_is_no_address_and_a_strange_cookie_no_language(
    client: FlaskClient,
) -> None:
    for code in ("xx", "..", "de/LC_MESSAGES", "DE"):
        assert client.get(f"/language/{code}").status_code == 404
    client.set_cookie("language", "../de")
    assert language_of(client.get("/")) == "en"


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example/x",
        "///evil.example",
        "////evil.example/x",
        "https://evil.example/simple-21",
        "https:evil.example",
        "http:///evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "/\t/evil.example",
        "\n//evil.example",
        " //evil.example",
        "%2F%2Fevil.example",
        "/%2Fevil.example",
        "/%5Cevil.example",
        "%68ttps://evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "//[",
        "//evil.example@localhost/",
        "/simple-21\r\nSet-Cookie: x=y",
        "?to=//evil.example",
        "",
    ],
)
@pytest.mark.parametrize("prefix", ["", "/cards"])
def test_choosing_leads_to_this_site_and_nowhere_else(tmp_path: Path, to: str, prefix: str) -> None:
    client = create_app(Settings(data_dir=tmp_path, url_prefix=prefix)).test_client()
    response = client.get(f"{prefix}/language/de", query_string={"to": to})
    assert response.status_code == 303
    where = response.headers["Location"]
    # As a browser reads it: backslashes are slashes, and tabs and line ends are not there.
    read_as = re.sub(r"[\t\r\n]", "", where).replace("\\", "/")
    assert read_as == where
    assert where.startswith(f"{prefix}/")
    assert not where.removeprefix(prefix).startswith("//")
    assert urlsplit(where)[:2] == ("", "")
    assert response.headers.getlist("Set-Cookie")[0].startswith("language=de;")
    assert len(response.headers.getlist("Set-Cookie")) == 1


def test_with_a_prefix_the_choice_leads_back_below_it(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path, url_prefix="/cards")).test_client()
    link = re.search(r'href="(/cards/language/de[^"]*)"', client.get("/cards/war").text)
    assert link
    response = client.get(link[1])
    assert response.headers["Location"] == "/cards/war"
    assert "Path=/cards" in response.headers["Set-Cookie"]
    assert language_of(client.get("/cards/war")) == "de"


def test_programs_are_spoken_to_in_english(client: FlaskClient) -> None:
    client.set_cookie("language", "de")
    german = JSON | {"Accept-Language": "de"}
    answer = client.post("/simple-21", data={"move": "deal", "step": "0"}, headers=german)
    told = answer.get_json()
    assert told["view"]["messages"] == ["Dealing cards to player and dealer..."]
    assert [move["label"] for move in told["moves"]] == ["Hit", "Stay", "Start over"]
    refused = client.post("/simple-21", data={"move": "call", "step": "1"}, headers=german)
    assert refused.get_json()["error"].startswith("That move is not allowed now.")
    assert client.get("/nothing", headers=german).get_json() == {
        "error": "There is nothing at this address."
    }
    assert client.get("/war/rules", headers=german).get_json()["rules"][0]["title"] == "The aim"
    assert client.get("/simple-21/transcript", headers=german).text.startswith("====")


def test_a_german_page_says_the_move_in_german(client: FlaskClient, shuffled_deck: str) -> None:
    client.set_cookie("language", "de")
    client.post("/simple-21", data={"move": "deal", "step": "0", "deck": shuffled_deck})
    page = client.get("/simple-21").text
    player = parse_deck(shuffled_deck)[0]
    assert f'alt="{player.name_in_words.said(catalogue("de"))}"' in page
    assert player.name_in_words not in page
    assert ">Ziehen</button>" in page
    assert ">Halten</button>" in page


# ---- Nothing is forgotten -------------------------------------------------------------------

OWN = ("Ann", "Zoë", "mine.txt")
"""What the players of these tests call themselves, and their file."""

NAMES = (
    *(game.title for game in GAMES.values()),
    "Cardgames",
    "BINGO!",
    "GMT",
    *LANGUAGES.values(),
)
"""What is called the same in every language."""

CODES = re.compile(r"\b(?:[2-9TJQKA][CDHS]|[A-Z]|10)\b")
"""A card's two characters, and single letters: keys, modes, players A and B, ranks on faces."""

HASH = re.compile(r"\b[0-9a-f]{32,}\b")
"""What the server promised of a shuffle, to be compared by a program."""

MACHINE = (
    *("mode", "players", "deck", "wrong", "all", *GAMES, "twentyone"),
    *("hard", "soft", "below", "dealer", "best", "JavaScript", "practice", "counted"),
)
"""Names of fields and of their values, where a sentence quotes them."""

SPOKEN = ("alt", "title", "aria-label", "aria-description", "placeholder", "label")


class Words(HTMLParser):
    """Collects all that a page says, and where it leads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.links: set[str] = set()
        self._inside: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.said += [value for name, value in attrs if name in SPOKEN and value]
        self.links |= {value for name, value in attrs if (tag, name) == ("a", "href") and value}
        if tag not in VOID:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        # What stands in a text field was typed, and code is no language's.
        if not {"script", "style", "textarea", "pre", "code"} & set(self._inside):
            self.said.append(data)


VOID = {"meta", "link", "img", "input", "br", "hr", "rect", "path", "polyline"}

_WHOLE = re.compile(r"⟦[^⟦⟧]*⟧")


def forgotten(said: str) -> str:
    """Return what of a text went through no catalogue, or how it was put together of pieces."""
    pieces = said
    while (outer := _WHOLE.sub(lambda whole: _outer(whole[0]), pieces)) != pieces:
        pieces = outer
    if re.search(r"[^.!?:…]\uE001\s*\uE000", pieces):
        return said
    quoted = MACHINE if said.strip().startswith("⟦") else ()
    allowed = "|".join(map(re.escape, sorted((*OWN, *NAMES, *quoted), key=len, reverse=True)))
    rest = re.sub(rf"(?<!\w)(?:{allowed})(?!\w)", "", said)
    rest = HASH.sub("", CODES.sub("", rest))
    return " ".join(re.findall(r"[a-zA-Zäöüß]+", rest))


def _outer(whole: str) -> str:
    return f"\ue000{whole[1:-1]}\ue001"


class Reader:
    """A reader of the language that does not exist, who reads every word."""

    def __init__(self, app: flask.Flask) -> None:
        self.client = app.test_client()
        self.client.set_cookie("language", "de")
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

    def play(self, slug: str, move: str, status: int | tuple[int, ...] = 303, **fields: Any) -> str:
        """Play a move, or have it refused, and read the page; return its phase."""
        told = self.client.get(f"/{slug}", headers=JSON).get_json()
        data = {"move": move, "step": str(told["step"]), **fields}
        response = self.client.post(f"/{slug}", data=data)
        allowed = status if isinstance(status, tuple) else (status,)
        assert response.status_code in allowed, (slug, move, fields)
        if response.status_code == 303:
            self.get(f"/{slug}")
        else:
            self.read(response, f"{slug}: {move} refused")
        phase: str = self.client.get(f"/{slug}", headers=JSON).get_json()["view"]["phase"]
        return phase

    def follow(self) -> None:
        """Read every page of the site that a page has led to, and that was not read."""
        while left := {link for link in self.links if self._is_new(link)}:
            for link in filter(self._is_new, sorted(left)):
                self.read_so_far.add(link.partition("#")[0])
                response = self.client.get(link.partition("#")[0], follow_redirects=True)
                self.read_so_far.add(response.request.path)
                if response.mimetype == "text/html" and response.status_code == 200:
                    self.read(response, link)

    def _is_new(self, link: str) -> bool:
        path = link.partition("#")[0]
        if not path.startswith("/") or path.startswith("/language/") or path in self.read_so_far:
            return False
        return sum(_kind(read) == _kind(path) for read in self.read_so_far) < FEW


FEW = 6
"""So many pages of a kind are enough."""


def _kind(path: str) -> str:
    """Return an address without its numbers and its long names: alike for pages of a kind."""
    return re.sub(r"[\w.~%=+-]{24,}|\d+", "#", path)


@pytest.fixture
def reader(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Reader:
    english: SpeakingEnvironment = app.extensions["languages"]["en"]
    app.extensions["languages"]["de"] = english.speaking("de", WIDE)
    monkeypatch.setattr(web_lab, "catalogue", lambda _code: WIDE)
    return Reader(app)


def test_what_was_forgotten_is_seen() -> None:
    hit, stay = wide("⟦hit⟧"), wide("⟦stay⟧")
    assert forgotten(f"{hit}. 16 \N{EN DASH} Simple 21") == ""
    assert forgotten(f"⟦{wide('Dealer takes the')} queen⟧") == "queen"
    assert forgotten(f"{hit} or {stay}") == "or"
    assert forgotten(f"{hit} {stay}")
    assert not forgotten(wide("⟦Hit now.⟧ ⟦Or stay.⟧"))
    assert forgotten("Hit") == "Hit"


@pytest.mark.parametrize("slug", ["simple-21", "blackjack", "one-deck"])
def test_a_twenty_one_table_is_said_in_every_state(reader: Reader, slug: str) -> None:
    reader.get(f"/{slug}")
    reader.play(slug, "stay", 422)
    reader.play(slug, "deal", 422, deck="AS\nAS\nXX\nAX\n\nABC")
    reader.play(slug, "deal", 422, deck="\n".join(FULL_DECK[1:]))
    reader.play(slug, "deal", 422, deck="\n".join((*FULL_DECK, "AC")))
    reader.play(slug, "deal", 422, deck="\ufeff" + "\n".join(FULL_DECK))
    reader.play(slug, "deal", 422, wrong="x")
    reader.read(reader.client.post(f"/{slug}", data={"move": "deal", "step": "77"}))
    for coached in ("no", "yes"):
        reader.client.post("/coach", data={"table": slug, "on": coached})
        for number in range(24):
            phase = reader.play(slug, "deal", **({"deck": ""} if number == 0 else {}))
            if phase == "playing":
                reader.get(f"/{slug}/odds")
            if slug == "blackjack" and number == 1:
                phase = reader.play(slug, "deal")
            while phase == "playing":
                phase = reader.play(slug, "hit" if number % 3 else "stay")
            if phase == "game over":
                break
        reader.play(slug, "new")
    deck = ["TS", "9D", "8S", "7D"]
    deck += [card for card in FULL_DECK if card not in deck]
    reader.play(slug, "deal", deck="\n".join(deck))
    reader.play(slug, "stay")


def test_war_is_said_in_every_state(reader: Reader) -> None:
    reader.get("/war")
    for names in ("Ann, Zoë, Ann", "Ann, Ann", "Ann,,Zoë", "A" * 21, "Ann\x01"):
        reader.play("war", "deal", 422, players="2", names=names)
    reader.play("war", "deal", 422)
    reader.play("war", "deal", 422, players="9")
    for players, names in (("2", "Ann, Zoë"), ("4", ""), ("6", "Ann")):
        reader.play("war", "deal", players=players, names=names)
        for turns in ("1", "1", "1", "10", "100", "1"):
            if reader.play("war", "turn", turns=turns) == "game over":
                break
        else:
            while reader.play("war", "turn", turns="all") == "playing":
                pass


@pytest.mark.parametrize("mode", "LCF")
@pytest.mark.parametrize("speed", "NY")
def test_bingo_is_said_in_every_state(reader: Reader, mode: str, speed: str) -> None:
    reader.get("/bingo")
    reader.play("bingo", "deal", 422, mode="wrong", speed="N")
    for _ in range(3):
        phase = reader.play("bingo", "deal", mode=mode, speed=speed)
        for calls in ("1", "1", "5", "all"):
            if phase == "playing":
                phase = reader.play("bingo", "call", calls=calls)


ENDS: dict[str, tuple[str, dict[str, str]]] = {
    "war": ("turn", {"turns": "all"}),
    "bingo": ("call", {"calls": "all"}),
}
DEALT: dict[str, dict[str, str]] = {
    "war": {"players": "3", "names": "Ann"},
    "bingo": {"mode": "C", "speed": "Y"},
}


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("kind", ["practice", "counted"])
def test_a_deal_is_said_in_every_state(reader: Reader, slug: str, kind: str) -> None:
    reader.get(f"/deals?table={slug}")
    made = {"table": slug, "kind": kind, **DEALT.get(slug, {})}
    for wrong in ({"kind": "wrong"}, {"table": "wrong"}, {"deck": "AS"}, {"wrong": "x"}):
        response = reader.client.post("/deals", data=made | wrong)
        assert response.status_code == 422
        reader.read(response, str(wrong))
    seed = {"seed": "Ann"} if kind == "practice" else {}
    where = reader.client.post("/deals", data=made | seed).headers["Location"]
    move, fields = ENDS.get(slug, ("stay", {}))
    for other in (reader, Reader(reader.client.application)):
        other.get(where)
        deal = where.removeprefix("/")
        other.play(deal, move, 422, **fields)
        other.play(deal, "deal")
        if move == "stay":
            other.play(deal, "hit", (303, 422))
        other.play(deal, move, (303, 422), **fields)
        other.play(deal, move, 422, **fields)
        other.get("/deals")
        other.follow()
    reader.get(f"{where[:-1]}x", 404)


def test_every_page_that_a_page_leads_to_is_said(reader: Reader) -> None:
    for slug in GAMES:
        reader.play(slug, "deal", **DEALT.get(slug, {}))
        move, fields = ENDS.get(slug, ("stay", {}))
        reader.play(slug, move, **fields)
        assert f"/{slug}/rules" in reader.links
    reader.get("/")
    reader.get("/lab")
    reader.follow()
    assert {"/", "/lab", "/war/rules", "/bingo/rules", "/blackjack"} <= reader.read_so_far
    for page in ("/look", "/deals", "/war/history", "/replay/", "/simple-21/seals"):
        assert any(link.startswith(page) for link in reader.read_so_far), page


def test_a_game_that_was_lost_is_told(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.play("war", "deal", players="2")
    monkeypatch.setattr(type(GAMES["war"]), "state_type", int)
    page = reader.get("/war")
    assert 'role="status"' in page


ERRORS = (400, 403, 404, 405, 408, 413, 422, 429, 431, 500, 503)


@pytest.mark.parametrize("status", ERRORS)
def test_an_error_is_said(reader: Reader, status: int) -> None:
    kind = exceptions.default_exceptions[status]
    with reader.client.application.test_request_context(headers={"Cookie": "language=de"}):
        response = answers._error(kind())
    assert response.status_code == status
    reader.read(response, str(status))


def test_every_error_that_has_a_sentence_was_read() -> None:
    assert set(answers._SENTENCES) == set(ERRORS)


FORMS: tuple[dict[str, str], ...] = (
    {"experiment": "war", "games": "60", "players": "3"},
    {"experiment": "bingo", "games": "60", "mode": "C"},
    {"experiment": "bingo", "games": "1", "mode": "L", "speed": "Y"},
    {"experiment": "twentyone", "games": "60", "table": "blackjack"},
    {"experiment": "twentyone", "games": "60", "play": "below", "below": "15"},
    {"experiment": "twentyone", "games": "60", "play": "best", "table": "one-deck"},
    {"experiment": "twentyone", "games": "60", "play": "table"},
)

REFUSED: tuple[dict[str, str], ...] = (
    {"experiment": "wrong"},
    {"experiment": "war", "games": "x"},
    {"experiment": "war", "games": "0"},
    {"experiment": "war", "seed": "-1"},
    {"experiment": "war", "seed": "9" * 19},
    {"experiment": "war", "players": "7"},
    {"experiment": "bingo", "mode": "wrong"},
    {"experiment": "twentyone", "table": "wrong"},
    {"experiment": "twentyone", "play": "below", "below": "99"},
    {"experiment": "twentyone", "play": "table", "rows": "hard"},
    {"experiment": "twentyone", "play": "table", "rows": " "},
    {"experiment": "twentyone", "play": "table", "rows": "#" * 20_000},
)


SOME = TwentyOneResult(
    9, 4, 1, 4, tuple(Share(upcard, 0.05, 0.01, 0.04) for upcard in range(1, 11))
)
"""What might have come out of rounds of twenty-one."""


def test_the_lab_is_said(reader: Reader, tmp_path: Path) -> None:
    runs = web_lab.opened(Settings(data_dir=tmp_path))
    reader.get("/lab")
    for form in REFUSED:
        response = reader.client.post("/lab", data=form)
        assert response.status_code == 422
        reader.read(response, str(form))
    for form in FORMS:
        where = reader.client.post("/lab", data=form | {"seed": "1"}).headers["Location"]
        reader.get(where)
        run = runs.all()[0]
        if form["experiment"] == "twentyone":  # its exact chances would take long
            runs.keep(run, SOME, web_lab._pictures(SOME))
            runs.save(replace(run, phase=web_lab.Phase.DONE))
        else:
            web_lab.work(runs, run.number)
        for picture in re.findall(r'<img src="([^"]+)"', reader.get(where)):
            drawn = ET.fromstring(reader.client.get(picture).text)
            said = [text for part in drawn.iter() for text in (part.text or "",)]
            assert "".join(map(forgotten, said)) == ""
            assert picture.endswith(".de.svg")
            assert any("⟦" in text for text in said) or "length" in picture
    run = runs.all()[0]
    for phase in web_lab.Phase:
        runs.save(replace(run, phase=phase))
        reader.get(where)
        reader.get("/lab")
    stranger = reader.client.application.test_client()
    stranger.set_cookie("language", "de")
    response = stranger.post(f"{where}/cancel")
    assert response.status_code == 403
    reader.read(response)
    for _ in range(3):
        response = reader.client.post("/lab", data={"experiment": "war"})
    assert response.status_code == 429
    reader.read(response)


def test_the_addresses_of_pictures_say_their_language(client: FlaskClient, tmp_path: Path) -> None:
    runs = web_lab.opened(Settings(data_dir=tmp_path))
    where = client.post("/lab", data=FORMS[1]).headers["Location"]
    web_lab.work(runs, 1)
    english, german = client.get(f"{where}/wins.svg").text, client.get(f"{where}/wins.de.svg").text
    assert (">Tie<" in english, ">Tie<" in german) == (True, False)
    assert ">Unentschieden<" in german
    client.set_cookie("language", "de")
    assert f'src="{unquote(where)}/wins.de.svg"' in client.get(where).text
