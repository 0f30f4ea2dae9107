"""Forms as they are read: texts with their lengths, files, and what is cut off."""

from io import BytesIO
from typing import Any

import flask
import pytest
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge
from werkzeug.test import EnvironBuilder

from web.http.requests import MAX_FORM, sent_texts

FORM = "application/x-www-form-urlencoded"


def read(app: flask.Flask, body: bytes, **environ: Any) -> dict[str, str]:
    builder = EnvironBuilder(method="POST", data=body, content_type=FORM)
    with app.request_context(builder.get_environ() | environ):
        return sent_texts()


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (b"", {}),
        (b"move=hit&step=7", {"move": "hit", "step": "7"}),
        (b"step=7&step=8&move=", {"step": "7,8", "move": ""}),
        (b"a=1&&b", {"a": "1", "b": ""}),
        (b"a=b=c;d=e", {"a": "b=c;d=e"}),
        (b"name=Z%C3%BCrich+%26+co", {"name": "Z\u00fcrich & co"}),
        (b"deck=AC%0D%0A2C", {"deck": "AC\r\n2C"}),
    ],
)
def test_a_form_of_texts_is_read(app: flask.Flask, body: bytes, texts: dict[str, str]) -> None:
    assert read(app, body) == texts


def test_a_form_is_refused_that_is_too_large_or_cut_off(app: flask.Flask) -> None:
    with pytest.raises(RequestEntityTooLarge):
        read(app, b"a=" + b"x" * 3 * MAX_FORM)
    with pytest.raises(BadRequest):
        read(app, b"a=1", CONTENT_LENGTH="4")


def test_a_form_of_unknown_length_is_read_to_its_end(app: flask.Flask) -> None:
    """Another server than ours may send it."""
    body = BytesIO(b"a=1&a=2")
    chunked = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}
    sent = {"wsgi.input": body, "wsgi.input_terminated": True}
    assert read(app, b"", **chunked, **sent) == {"a": "1,2"}
