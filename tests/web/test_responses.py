"""Responses as they are sent: their length, their addresses, and which representation they are."""

from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.site import JSON, TABLE
from web.http import responses


def test_every_answer_says_how_long_it_is(app: flask.Flask) -> None:
    """Pages, JSON, errors and redirects, looked at or only asked for."""
    client = app.test_client()
    for path in ("/", TABLE, f"{TABLE}/rules", "/war/history.csv", "/healthz", "/nowhere"):
        for headers in ({}, JSON):
            get, head = (client.open(path, method=how, headers=headers) for how in ("GET", "HEAD"))
            assert get.headers["Content-Length"] == str(len(get.data))
            assert head.headers["Content-Length"] == get.headers["Content-Length"]
            assert head.data == b""
    moved = client.post(TABLE, data={"move": "new", "step": "0"})
    assert (moved.headers["Location"], moved.headers["Content-Length"]) == (TABLE, "0")


def test_an_address_in_a_header_is_ascii(app: flask.Flask) -> None:
    """What no view of ours does: werkzeug's own way is taken for it."""
    app.add_url_rule(
        "/umlaut", "umlaut", lambda: flask.Response(status=303, headers={"Location": "/kärten ä"})
    )
    app.add_url_rule("/nothing", "nothing", lambda: flask.Response(status=204))
    client = app.test_client()
    assert client.get("/umlaut").headers["Location"] == "/k%C3%A4rten%20%C3%A4"
    assert "Content-Length" not in client.get("/nothing").headers


def test_werkzeug_and_flask_still_ask_what_is_overridden_here(app: flask.Flask) -> None:
    """The shortcuts are methods that both document. Asked no more, they would save nothing."""
    asked: list[str] = []

    class Watched(responses.Response):
        def get_wsgi_headers(self, environ: Any) -> Any:
            asked.append("headers")
            return super().get_wsgi_headers(environ)

    ensure_sync = app.ensure_sync

    def watched(view: Any) -> Any:
        asked.append("view")
        return ensure_sync(view)

    app.response_class = Watched
    app.ensure_sync = watched  # type: ignore[method-assign]
    assert app.test_client().get(TABLE).status_code == 200
    assert {"headers", "view"} <= set(asked)


@pytest.mark.parametrize(
    ("accept", "is_json"),
    [
        ("application/json", True),
        ("Application/JSON", True),
        ("text/html, application/json;q=0.5", True),
        ("application/json;q=0", False),
        ("application/jsonp", False),
        ("*/*", False),
        ("", False),
    ],
)
def test_who_names_json_gets_it(
    client: FlaskClient,
    accept: str,
    is_json: bool,  # noqa: FBT001
) -> None:
    assert client.get(TABLE, headers={"Accept": accept}).is_json == is_json
