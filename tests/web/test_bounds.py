"""Requests are limited before they are parsed. The limit is measured in calls, not in time."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge
from werkzeug.test import EnvironBuilder, TestResponse

import web
from tests.support.classroom import Room, open_room
from tests.support.site import JSON, TABLE
from web.http.requests import MAX_FORM, MAX_TEXT, form_fields

MARKS = "a" + "\u0315\u0316" * 10_000
"""Combining marks in the wrong order, because sorting them takes quadratic time."""

MAX_CALLS = 12_000
"""Maximum number of calls of Python and C functions before a request is rejected."""

FORM = "application/x-www-form-urlencoded"


class Work:
    """Number of calls during a request."""

    calls = 0
    normalized = 0
    """Maximum length of the normalized strings."""


@contextmanager
def counted(app: flask.Flask) -> Iterator[Work]:
    """Count an app's function calls, and measure the strings that the app normalizes."""
    work, normalize, answer = Work(), unicodedata.normalize, app.wsgi_app

    def count(_frame: object, event: str, _argument: object) -> None:
        work.calls += event in ("call", "c_call")

    def watched(*asked: Any) -> Any:
        sys.setprofile(count)
        try:
            return answer(*asked)
        finally:
            sys.setprofile(None)

    def normalized(form: str, text: str) -> str:
        work.normalized = max(work.normalized, len(text))
        return normalize(form, text)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unicodedata, "normalize", normalized)
        patch.setattr(app, "wsgi_app", watched)
        yield work


@pytest.fixture
def room(school: flask.Flask) -> Room:
    return open_room(school, 2, nicknames="free", real="may")


def refused_cheaply(app: flask.Flask, ask: Callable[[], TestResponse]) -> str:
    """Check that a request is rejected after few calls, and return the message."""
    ask()  # Compilation and cached results do not count.
    with counted(app) as work:
        answer = ask()
    assert answer.status_code in (403, 413, 414, 422), answer.text[:300]
    sentence: str = answer.get_json()["error"]
    assert sentence
    assert "\n" not in sentence
    assert len(sentence) < 300, "what was sent is not said again"
    assert work.normalized <= MAX_TEXT
    assert work.calls < MAX_CALLS
    return sentence


TEXTS: list[tuple[str, dict[str, str]]] = [
    ("/class/CODE/join", {"name": MARKS}),
    ("/class/CODE/join", {"name": "Ann", "real": MARKS}),
    ("/class/CODE/rejoin", {"name": MARKS, "code": "2345"}),
    ("/class/new", {"title": MARKS}),
    ("/class", {"code": MARKS}),
    ("/war", {"move": "deal", "step": "0", "players": "6", "names": MARKS}),
    ("/simple-21", {"move": "deal", "step": "0", "deck": "ZZ\n" * 50_000}),
    ("/simple-21", {"move": "deal", "step": "0", MARKS: ""}),
    ("/bingo", {"move": "deal", "step": "0", "calling_deck": "ZZ\n" * 1_500}),
    ("/deals", {"table": "war", "players": "2", "names": MARKS}),
    ("/settings", {"suits": MARKS}),
    ("/language", {"language": MARKS}),
    ("/coach", {"table": MARKS}),
    ("/puzzles", {"move": MARKS}),
    ("/puzzles/simple-21", {"move": MARKS}),
]


@pytest.mark.parametrize(("path", "fields"), TEXTS)
@pytest.mark.parametrize("kind", ["form", "json"])
def test_overlong_text_is_rejected_before_parsing(
    room: Room, path: str, fields: dict[str, str], kind: str
) -> None:
    client = room.app.test_client()
    path = path.replace("CODE", room.code)
    sent: dict[str, Any] = {"json": fields} if kind == "json" else {"data": fields}
    refused_cheaply(client.application, lambda: client.post(path, headers=JSON, **sent))


def test_a_form_has_a_hundred_fields_at_most(client: FlaskClient) -> None:
    def status(count: int) -> int:
        form = {f"a{number}": "" for number in range(count)}
        parts = {"content_type": "multipart/form-data"}
        ways: list[dict[str, Any]] = [{"data": form}, {"data": form, **parts}, {"json": form}]
        (status,) = {client.post("/simple-21", headers=JSON, **way).status_code for way in ways}
        return status

    assert (status(100), status(101)) == (409, 413)
    form = {f"a{number}": "x" * 900 for number in range(100)}
    # more bytes than the fields of the form can have
    assert client.post("/coach", data=form).status_code == 413
    body = b"&" * 250_000
    refused_cheaply(
        client.application, lambda: client.post(TABLE, data=body, content_type=FORM, headers=JSON)
    )


@pytest.mark.parametrize(
    "body",
    [
        '{"a":[' + "[1]," * 50_000 + "1]}",
        '{"a":' + "[" * 5_000 + "]" * 5_000 + "}",
        "{" + ",".join(f'"{number}":1' for number in range(2_000)) + "}",
        '{"a":' + "9" * 200_000 + "}",
    ],
    ids=["lists", "deep", "fields", "digits"],
)
def test_json_is_bounded_as_a_form_is(client: FlaskClient, body: str) -> None:
    client.post("/simple-21", data="{", content_type="application/json", headers=JSON)
    with counted(client.application) as work:
        answer = client.post("/simple-21", data=body, content_type="application/json", headers=JSON)
    assert answer.status_code in (400, 413)
    assert work.calls < MAX_CALLS


@pytest.mark.parametrize(
    "head",
    [
        'form-data; name="' + '\\"' * 20_000 + '"',
        'form-data; name="a"; ' + 'x="\\"" ;' * 10_000,
        'form-data; name="a"\r\n' + "\r\n".join(["X: y"] * 20_000),
        'form-data; name="deck"; filename="' + "d" * 50_000 + '"',
    ],
    ids=["quotes", "parameters", "lines", "file name"],
)
def test_the_head_of_a_part_is_bounded(client: FlaskClient, head: str) -> None:
    body = f"--b\r\nContent-Disposition: {head}\r\n\r\nx\r\n--b--\r\n".encode()
    kind = "multipart/form-data; boundary=b"
    refused_cheaply(
        client.application,
        lambda: client.post("/simple-21", data=body, content_type=kind, headers=JSON),
    )


@pytest.mark.parametrize("path", ["/", "/what-if/x"])
@pytest.mark.parametrize(
    "query", ["a=1&" * 15_000, "to=" + "%CC%95" * 10_000], ids=["fields", "text"]
)
def test_a_long_query_is_refused_and_not_said_again(
    client: FlaskClient, path: str, query: str
) -> None:
    assert refused_cheaply(client.application, lambda: client.get(f"{path}?{query}", headers=JSON))
    page = client.get(f"{path}?{query}")
    assert (page.status_code, "too long" in page.text, len(page.data) < 5_000) == (414, True, True)
    address = path + "x" * 60_000
    assert refused_cheaply(client.application, lambda: client.get(address, headers=JSON))


def test_forms_are_read_in_one_place() -> None:
    """Code that bypassed this module to read a request would have no limit."""
    folder = Path(web.__file__).parent
    reads = re.compile(r"request(?:\(\))?\.(?:form|files|values|data|json|stream|get_\w+)\b")
    assert reads.search("flask.request.form")
    found = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if path.parent.name != "http" and reads.search(path.read_text())
    }
    assert not found


# ---- Forms during parsing ------------------------------------------------------------------------


def read(app: flask.Flask, body: bytes, **environ: Any) -> dict[str, str]:
    builder = EnvironBuilder(method="POST", data=body, content_type=FORM)
    with app.request_context(builder.get_environ() | environ):
        return form_fields()


def test_oversized_or_truncated_form_is_rejected(app: flask.Flask) -> None:
    with pytest.raises(RequestEntityTooLarge):
        read(app, b"a=" + b"x" * 3 * MAX_FORM)
    with pytest.raises(BadRequest):
        read(app, b"a=1", CONTENT_LENGTH="4")
