"""Requests read the short way: the same as Flask and Werkzeug read them."""

from io import BytesIO
from typing import Any

import flask
import pytest
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
)
from werkzeug.routing import RequestRedirect
from werkzeug.test import EnvironBuilder

from web.http.requests import FORM, Request

BODIES = (
    *(b"", b"move=hit&step=7", b"step=7&step=8&move=", b"a=1&&b", b"=x&y", b"a=b=c;d=e"),
    *(b"name=Z%C3%BCrich+%26+co", b"name=%FF%zz%", b"na%6De=\xff\xc3\xbc", b"deck=AC%0D%0A2C"),
)
COOKIES = (
    "",
    "a=1; b=2",
    'a="x y"; a=2;;c',
    "look=four.dark;cardgames=ab.cd",
    "a=\u00c3\u00bc; =;",
)
PLACES = ("/", "/simple-21", "/simple-21/", "//war", "/war//rules", "/nowhere/at/all", "/deal/x")


def request_of(body: bytes, **environ: Any) -> Request:
    builder = EnvironBuilder(method="POST", data=body, content_type=FORM)
    return Request(builder.get_environ() | environ)


@pytest.mark.parametrize("body", BODIES)
def test_a_form_of_texts_is_read_as_werkzeug_reads_it(body: bytes) -> None:
    request, theirs = request_of(body), flask.Request(request_of(body).environ)
    read = {name: ",".join(values) for name, values in theirs.form.lists()}
    assert request.form_fields({}, 100) == read
    assert list(request.uploads) == []
    assert [*request.form.items(multi=True)] == [*theirs.form.items(multi=True)], "still there"


def test_a_form_with_files_is_left_to_werkzeug() -> None:
    data = {"move": "deal", "deck": (BytesIO(b"AC"), "deck.txt")}
    builder = EnvironBuilder(method="POST", data=data)
    request = Request(builder.get_environ())
    with request:
        assert request.form_fields({}, 100) == {"move": "deal"}
        assert [(name, file.read()) for name, file in request.uploads] == [("deck", b"AC")]
    builder.close()


def test_a_form_is_refused_that_is_too_large_or_cut_off() -> None:
    request = request_of(b"a=" + b"x" * 5_000)
    request.max_content_length = 5_000
    with pytest.raises(RequestEntityTooLarge):
        request.form_fields({}, 100)
    with pytest.raises(BadRequest):
        request_of(b"a=1", CONTENT_LENGTH="4").form_fields({}, 100)


def test_a_form_of_unknown_length_is_left_to_werkzeug() -> None:
    """Another server than ours may send it."""
    request = request_of(b"", HTTP_TRANSFER_ENCODING="chunked")
    del request.environ["CONTENT_LENGTH"]
    request.environ |= {"wsgi.input": BytesIO(b"a=1&a=2"), "wsgi.input_terminated": True}
    assert request.form_fields({}, 100) == {"a": "1,2"}


@pytest.mark.parametrize("header", COOKIES)
def test_cookies_are_what_werkzeug_reads(header: str) -> None:
    environ = request_of(b"", HTTP_COOKIE=header).environ
    theirs = [*flask.Request(environ).cookies.items(multi=True)]
    for _ in range(2):  # read, and remembered
        assert [*Request(environ).cookies.items(multi=True)] == theirs
    long = f"{header}; long={'x' * 600}"
    assert Request(environ | {"HTTP_COOKIE": long}).cookies["long"] == "x" * 600


def found(adapter: Any) -> Any:
    try:
        rule, values = adapter.match(return_rule=True)
    except RequestRedirect as error:
        return error.new_url
    except MethodNotAllowed as error:
        return sorted(error.valid_methods or ())
    except (NotFound, HTTPException) as error:
        return type(error)
    return rule.rule, rule.endpoint, values


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT"])
def test_an_address_leads_where_flask_finds_it(app: flask.Flask, method: str) -> None:
    """Also below a prefix, and when it is asked for again."""
    for path in PLACES:
        base = "http://cards.local:81/below"
        builder = EnvironBuilder(path, base, query_string={"x": path}, method=method)
        request = Request(builder.get_environ())
        theirs = flask.Flask.create_url_adapter(app, request)
        for _ in range(2):
            assert found(app.create_url_adapter(request)) == found(theirs)


def test_flask_asks_for_what_is_shortened_here(app: flask.Flask) -> None:
    """Were it asked no more, it would save nothing."""
    asked = []
    create = app.create_url_adapter

    def watched(request: flask.Request | None) -> Any:
        if request:
            asked.append(type(request))
        return create(request)

    app.create_url_adapter = watched  # type: ignore[method-assign]
    assert app.test_client().get("/simple-21").status_code == 200
    assert asked == [Request]
