"""Languages: which one a reader gets, and that every catalogue has every text."""

import gettext
import re
import shlex
from contextlib import chdir
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import urlsplit

import pytest
from babel.messages.catalog import Message
from babel.messages.frontend import CommandLineInterface
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, Rank, Suit
from cardgames.moves import IllegalMove
from cardgames.table import Table
from cardgames.text import Text, comma_join, format_number, plural
from tests.support.languages import WIDE, catalogued, messages, wide
from tests.support.site import DECK, GERMAN, JSON, look, play, send, texts, visitor
from web.http.i18n import FOLDER, LANGUAGES, catalogue

ROOT = Path(__file__).parents[2]
OTHERS = [code for code in LANGUAGES if code != "en"]

# ---- A text --------------------------------------------------------------------------------


def test_a_text_is_its_english_and_is_said_anew_from_what_it_was_made_of() -> None:
    text = Text("Dealer takes the {card}, value = {number}.", card=Text("ace"), number=11)
    assert text == "Dealer takes the ace, value = 11."
    assert (hash(text), {text: 1}[str(text)]) == (hash(str(text)), 1)
    assert text.translated(WIDE) == wide("⟦Dealer takes the ⟦ace⟧, value = 11.⟧")
    assert Text("{braces} stay").translated(gettext.NullTranslations()) == "{braces} stay"


@pytest.mark.parametrize(("number", "english"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards")])
def test_a_text_that_counts_takes_the_form_of_its_number(number: int, english: str) -> None:
    text = plural("{number} card", "{number} cards", number)
    assert text == english
    again = plural("{number} card", "{number} cards", 7).fill(number=number)
    assert again == english
    assert again.translated(WIDE) == text.translated(WIDE) == wide(f"⟦{english}⟧")


def test_a_list_is_said_one_by_one() -> None:
    assert comma_join([Text("Hit"), Text("Stay")]) == "Hit, Stay"
    among = Text("{names}.", names=comma_join([Text("Hit"), "Ann"]))
    assert among.translated(WIDE) == f"⟦⟦{wide('Hit')}⟧, Ann⟧."


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
    assert format_number(number, form) == english
    assert format_number(number, form).translated(catalogue("de")) == german


def test_what_is_refused_says_why_in_any_language_and_str_is_the_english() -> None:
    with pytest.raises(IllegalMove) as caught:
        Table(GAMES["simple-21"]).play("hit")
    assert str(caught.value) == "That move is not allowed now. You can choose: Deal, Start over."
    assert isinstance(caught.value.text, Text)
    assert caught.value.text.translated(catalogue("de")) == (
        "Dieser Zug ist jetzt nicht erlaubt. Du hast die Wahl: Geben, Von vorn."
    )


# ---- The catalogues ------------------------------------------------------------------------


def test_the_template_is_what_the_sources_say(tmp_path: Path) -> None:
    """``make words`` has been run since a text was changed."""
    line = re.search(r"^EXTRACT := \$\(BIN\)/(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert line
    fresh = tmp_path / "fresh.pot"
    with chdir(ROOT):
        CommandLineInterface().run([*shlex.split(line[1]), "--output-file", str(fresh), "."])
    kept = catalogued(FOLDER / "cardgames.pot")
    assert [one.id for one in messages(catalogued(fresh))] == [one.id for one in messages(kept)]


def translated(code: str) -> list[Message]:
    return messages(catalogued(FOLDER / code / "LC_MESSAGES" / "cardgames.po"))


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
    for message in translated(code):
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
    for message in translated(code):
        if isinstance(message.id, tuple):
            one, _ = message.id
            expected |= {(one, form): said for form, said in enumerate(message.string)}
        else:
            expected[message.id] = message.string
    compiled = catalogue(code)._catalog.items()  # type: ignore[attr-defined]
    assert {key: said for key, said in compiled if key} == expected


def test_cards_have_german_names() -> None:
    german = catalogue("de")
    said = {card: card.full_name.translated(german) for card in FULL_DECK}
    assert (said[Card("QC")], said[Card("AS")]) == ("Kreuz-Dame", "Pik-Ass")
    assert (said[Card("TH")], said[Card("5D")]) == ("Herz-Zehn", "Karo-Fünf")
    suits = {Suit.CLUBS: "Kreuz", Suit.DIAMONDS: "Karo", Suit.HEARTS: "Herz", Suit.SPADES: "Pik"}
    ranks = dict(zip(Rank, ["Ass", *map(str, range(2, 11)), "Bube", "Dame", "König"], strict=True))
    for card, name in said.items():
        suit, _, rank = name.partition("-")
        assert suit == suits[card.suit]
        assert rank == ranks[card.rank] or ranks[card.rank].isdigit()
    assert len(set(said.values())) == 52


# ---- Which language ------------------------------------------------------------------------


def language_of(response: TestResponse) -> str:
    (found,) = texts(response.text, r'<html lang="([a-z]+)"')
    return found


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
    page = client.get("/simple-21").text
    assert '<button name="language" value="de" lang="de">Deutsch</button>' in page
    response = client.post("/language", data={"language": "de", "to": "/simple-21"})
    assert (response.status_code, response.headers["Location"]) == (303, "/simple-21")
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith("language=de; ")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"):
        assert part in cookie
    assert language_of(client.get("/simple-21")) == "de"
    client.post("/language", data={"language": "en"})
    assert language_of(client.get("/simple-21", headers=GERMAN)) == "en"


def test_looking_chooses_nothing(client: FlaskClient) -> None:
    for path in ("/language", "/language/de", "/language?language=de"):
        response = client.get(path)
        assert response.status_code in (404, 405)
        assert "Set-Cookie" not in response.headers


def test_a_language_that_is_not_there_is_refused_and_a_strange_cookie_no_language(
    client: FlaskClient,
) -> None:
    for code in ("", "xx", "..", "de/LC_MESSAGES", "DE"):
        response = client.post("/language", data={"language": code})
        assert response.status_code == 400
        assert "Set-Cookie" not in response.headers
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
def test_choosing_leads_to_this_site_and_nowhere_else(tmp_path: Path, to: str) -> None:
    for prefix in ("", "/cards"):
        client = visitor(tmp_path, url_prefix=prefix)
        for form in ({"language": "de"}, {"theme": "dark"}):
            path = f"{prefix}/language" if "language" in form else f"{prefix}/settings"
            response = client.post(path, data={**form, "to": to})
            assert response.status_code == 303
            where = response.headers["Location"]
            # As a browser reads it: backslashes are slashes, and tabs and line ends are not there.
            read_as = re.sub(r"[\t\r\n]", "", where).replace("\\", "/")
            assert read_as == where
            assert where.startswith(f"{prefix}/")
            assert not where.removeprefix(prefix).startswith("//")
            assert urlsplit(where)[:2] == ("", "")
            (cookie,) = response.headers.getlist("Set-Cookie")
            assert cookie.startswith(("language=de;", "look="))


def test_with_a_prefix_the_choice_leads_back_below_it(tmp_path: Path) -> None:
    client = visitor(tmp_path, url_prefix="/cards")
    page = client.get("/cards/war").text
    assert 'action="/cards/language"' in page
    (to,) = set(texts(page, 'name="to" value="([^"]*)"'))
    response = client.post("/cards/language", data={"language": "de", "to": to})
    assert response.headers["Location"] == "/cards/war"
    assert "Path=/cards" in response.headers["Set-Cookie"]
    assert language_of(client.get("/cards/war")) == "de"


def test_programs_are_spoken_to_in_english(client: FlaskClient) -> None:
    client.set_cookie("language", "de")
    german = JSON | GERMAN
    table = play(client, "/simple-21", "deal")
    assert table["view"]["messages"] == ["Dealing cards to player and dealer..."]
    assert [move["label"] for move in table["moves"]] == ["Hit", "Stay", "Start over"]
    refused = send(client, {"move": "call"}, headers=german).get_json()
    assert refused["error"].startswith("That move is not allowed now.")
    nothing = client.get("/nothing", headers=german).get_json()
    assert nothing == {"error": "There is nothing at this address."}
    assert look(client, "/war/rules")["rules"][0]["title"] == "The aim"
    assert client.get("/simple-21/transcript", headers=german).text.startswith("====")


def test_a_german_page_says_the_move_in_german(client: FlaskClient) -> None:
    client.set_cookie("language", "de")
    play(client, "/simple-21", "deal", deck=DECK)
    page = client.get("/simple-21").text
    name = Card(DECK[:2]).full_name
    assert f'alt="{name.translated(catalogue("de"))}"' in page
    assert name not in page
    assert ">Ziehen</button>" in page
    assert ">Halten</button>" in page
