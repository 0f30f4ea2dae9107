"""Languages: each reader's choice of a language, and the completeness of every catalogue."""

import gettext
import re
import shlex
from contextlib import chdir
from itertools import product
from pathlib import Path
from string import Formatter
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import flask
import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.frontend import CommandLineInterface
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.text import Text
from tests.support.commands import ROOT
from tests.support.languages import catalogued, messages
from tests.support.pages import only
from tests.support.site import GERMAN, JSON, look, play, send, visitor
from web.http.i18n import FOLDER, LANGUAGES, catalogue, compile_templates

OTHERS = [code for code in LANGUAGES if code != "en"]

# ---- The catalogues ------------------------------------------------------------------------


def extracted() -> Catalog:
    """Return every text of the code and the templates, like ``make words``."""
    (line,) = re.findall(r"(?m)^EXTRACT := .*\$\(BIN\)/(.*)$", (ROOT / "Makefile").read_text())
    with TemporaryDirectory() as folder, chdir(ROOT):
        path = Path(folder, "cardgames.pot")
        CommandLineInterface().run([*shlex.split(line), "--output-file", str(path), "."])
        return catalogued(path)


def translated(code: str) -> list[Message]:
    return messages(catalogued(FOLDER / code / "LC_MESSAGES" / "cardgames.po"))


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_text_and_no_other(code: str) -> None:
    catalog = catalogued(FOLDER / code / "LC_MESSAGES" / "cardgames.po")
    wanted = {message.id for message in messages(extracted())}
    assert {message.id for message in messages(catalog)} == wanted
    assert not catalog.obsolete
    assert [message.id for message in messages(catalog) if message.fuzzy] == []
    assert [message.id for message in messages(catalog) if not all(sayings(message))] == []


def sayings(message: Message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)


def fields(sentence: str) -> set[str]:
    """Return the placeholders of a message, with their formats."""
    return {
        f"{name}!{conversion}:{form}"
        for _, name, form, conversion in Formatter().parse(sentence)
        if name is not None
    }


@pytest.mark.parametrize("code", OTHERS)
def test_translation_has_the_placeholders_of_its_sentence(code: str) -> None:
    for message in translated(code):
        if isinstance(message.id, tuple):
            one, many = map(fields, message.id)
            first, *others = map(fields, sayings(message))
            assert first in (one, many), message.id
            assert all(other == many for other in others), message.id
        else:
            assert fields(message.string) == fields(message.id), message.id


@pytest.mark.parametrize("code", OTHERS)
def test_compiled_catalogue_equals_its_source(code: str) -> None:
    expected: dict[Any, str] = {}
    for message in translated(code):
        if isinstance(message.id, tuple):
            one, _ = message.id
            expected |= {(one, form): said for form, said in enumerate(message.string)}
        else:
            expected[message.id] = message.string
    compiled = catalogue(code)._catalog.items()  # type: ignore[attr-defined]
    assert {key: said for key, said in compiled if key} == expected


# ---- The choice of the language --------------------------------------------------------------


ELSEWHERE = (
    *("//evil.example/x", "https://evil.example/simple-21", "\\\\evil.example"),
    *("/\\evil.example", "/\t/evil.example", "\n//evil.example", "/%2Fevil.example"),
    *("javascript:alert(1)", "//[", "/simple-21\r\nSet-Cookie: x=y", ""),
)
"""Values of the field with the page to return to that a browser might read as other sites."""


def language_of(response: TestResponse) -> str:
    return str(only(response.text, "html")["lang"])


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        *((None, "en"), ("DE", "de"), ("de-AT", "de"), ("en;q=0.3, de;q=0.7", "de")),
        *(("en-US,en;q=0.9,de;q=0.8", "en"), ("fr, de;q=0.5", "de"), ("de;q=0", "en")),
        *(("dee, d, e", "en"), (";;;q=,=,,\t", "en")),
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
    assert cookie.startswith("cardgames-language=de; ")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"):
        assert part in cookie
    assert language_of(client.get("/simple-21")) == "de"
    client.post("/language", data={"language": "en"})
    assert language_of(client.get("/simple-21", headers=GERMAN)) == "en"


def test_unknown_language_is_rejected_and_odd_cookie_ignored(client: FlaskClient) -> None:
    for code in ("", "../de", "DE"):
        response = client.post("/language", data={"language": code})
        assert response.status_code == 400
        assert "Set-Cookie" not in response.headers
    client.set_cookie("cardgames-language", "../de")
    assert language_of(client.get("/")) == "en"


@pytest.mark.parametrize("prefix", ["", "/cards"])
def test_choosing_leads_to_this_site_and_nowhere_else(tmp_path: Path, prefix: str) -> None:
    client = visitor(tmp_path, url_prefix=prefix)
    choices = {"language": {"language": "de"}, "settings": {"theme": "dark"}}
    for to, (page, form) in product(ELSEWHERE, choices.items()):
        response = client.post(f"{prefix}/{page}", data={**form, "to": to})
        assert response.status_code == 303
        where = response.headers["Location"]
        # A browser treats backslashes as slashes, and ignores tabs and line breaks.
        read_as = re.sub(r"[\t\r\n]", "", where).replace("\\", "/")
        assert read_as == where, to
        assert where.startswith(f"{prefix}/"), to
        assert not where.removeprefix(prefix).startswith("//"), to
        assert urlsplit(where)[:2] == ("", ""), to
        (cookie,) = response.headers.getlist("Set-Cookie")
        assert cookie.startswith(("cardgames-language=de;", "cardgames-look=")), to


def test_programs_are_spoken_to_in_english(client: FlaskClient) -> None:
    client.set_cookie("cardgames-language", "de")
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


# ---- How templates print texts -------------------------------------------------------------------


class _Shouting(gettext.NullTranslations):
    """A language in which every sentence is in capitals."""

    def gettext(self, message: str) -> str:
        return message.replace("hit", "HIT")


def shown(app: flask.Flask, page: str, **values: Any) -> str:
    """Return a page's text for a German reader."""
    with app.test_request_context(headers=GERMAN):
        return flask.render_template_string(page, **values)


@pytest.mark.parametrize(
    "page", ["{{ text }} {{ text }}", "{{ _('hit {x}', x='<i>') }} {{ text }}"]
)
def test_a_text_is_translated_and_then_escaped(
    app: flask.Flask, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setitem(app.extensions["languages"], "de", _Shouting())
    rendered = shown(app, page, text=Text("hit {x}", x="<i>"))
    assert rendered == "HIT &lt;i&gt; HIT &lt;i&gt;"


def test_numbers_are_written_as_the_language_has_them(app: flask.Flask) -> None:
    page = "{{ format_number(0.4826, '.1%') }}"
    assert shown(app, page) == "48,3\u00a0%"
    with app.test_request_context():
        assert flask.render_template_string(page) == "48.3%"


def test_cached_text_of_one_language_never_shows_in_another(app: flask.Flask) -> None:
    client = app.test_client()
    pages = [client.get("/", headers={"Accept-Language": code}).text for code in ("de", "en") * 2]
    assert pages[:2] == pages[2:]
    assert "Einstellungen" in pages[0]
    assert "Einstellungen" not in pages[1]


def test_server_precompiles_the_templates_of_its_tables(app: flask.Flask) -> None:
    compile_templates(app)
    before = {name for _, name in app.jinja_env.cache or ()}
    client = app.test_client()
    for slug in GAMES:
        assert client.get(f"/{slug}").status_code == 200
    client.post("/simple-21", data={"move": "deal", "step": "0"})
    client.get("/simple-21")
    assert before == {name for _, name in app.jinja_env.cache or ()}
