"""What a request sends and asks for, limited in number and length before it is used."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import flask
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnprocessableEntity

from cardgames.text import Text

MAX_BODY: Final = 256 * 1024
"""Maximum number of bytes of a body that is read as a form."""

MAX_ADDRESS: Final = 8_000
"""Maximum number of characters of an address: that of what-if holds two records of a round."""

MAX_TEXT: Final = 1_000
"""Maximum number of characters of a field for which its view declares no other."""

MAX_FIELDS: Final = 100
"""Maximum number of fields of a form."""

MAX_FORM: Final = 16 * 1024
"""Maximum number of bytes of a form, but for what its fields take by their number and length."""

MAX_BYTES_A_FIELD: Final = 160
"""Mean of the bytes that a short field may take, with what stands around it."""

MAX_BYTES_A_CHARACTER: Final = 12
"""Maximum number of bytes of a character: four, each in percent code."""

MAX_HEADS: Final = 2_048
"""Maximum number of bytes of the heads of a form's parts, but for ``MAX_BYTES_A_HEAD`` each."""

MAX_BYTES_A_HEAD: Final = 64
"""Mean of the bytes that may stand before a field of a form with files."""

_NO_LONGER: Final[Mapping[str, int]] = MappingProxyType({})


class FieldTooLong(UnprocessableEntity):
    """A field of a form has more characters than it may."""

    sentence = Text("A field of that form is too long.")


def wants_json() -> bool:
    """Say whether the request names JSON; ``*/*`` and anything else get a page."""
    return any(
        kind.partition(";")[0].strip().lower() == "application/json" and quality > 0
        for kind, quality in flask.request.accept_mimetypes
    )


def is_too_long(request: flask.Request) -> bool:
    """Say whether the address of a request is longer than any of ours."""
    return len(request.path) + len(request.query_string) > MAX_ADDRESS


def prefers_page(request: flask.Request) -> bool:
    """Say whether a request prefers what a page shows to an address that leads to it (RFC 7240).

    >>> app = flask.Flask("example")
    >>> with app.test_request_context(headers={"Prefer": "wait=5, Return=representation"}):
    ...     prefers_page(flask.request)
    True
    """
    wishes = request.environ.get("HTTP_PREFER", "").lower().split(",")
    return "return=representation" in map(str.strip, wishes)


def sent_texts(longer: Mapping[str, int] = _NO_LONGER) -> dict[str, str]:
    """Return the text fields of the request, from a form or a JSON object.

    Nothing that a visitor sends is normalized, compared or parsed before it was bounded here. What
    a form has several times is a list with commas between; a null in JSON is left out.

    Args:
        longer: maximum number of characters of the fields that may have more than ``MAX_TEXT``.

    Raises:
        BadRequest: the JSON is not an object of texts and numbers.
        FieldTooLong: a field has more characters than it may.
        RequestEntityTooLarge: there are more fields, or more bytes than they can take.
    """
    request = flask.request
    longest = MAX_BYTES_A_CHARACTER * sum(longer.values())
    largest = MAX_FORM + MAX_BYTES_A_FIELD * MAX_FIELDS + longest
    request.max_content_length = request.max_form_memory_size = min(MAX_BODY, largest)
    if request.mimetype == "application/json":
        texts = _json_texts(request)
    else:
        texts = _form_texts(request, longer)
    if any(
        len(name) > MAX_TEXT or len(text) > longer.get(name, MAX_TEXT)
        for name, text in texts.items()
    ):
        raise FieldTooLong
    return texts


def sent_files() -> Iterable[tuple[str, FileStorage]]:
    """Return the files of the form that :func:`sent_texts` has read, by the names of the fields."""
    return flask.request.files.items(multi=True)


def _form_texts(request: flask.Request, longer: Mapping[str, int]) -> dict[str, str]:
    """Return the texts of a form.

    Raises:
        RequestEntityTooLarge: it has too many fields, or is too large.
    """
    request.max_form_parts = MAX_FIELDS
    if request.mimetype == "multipart/form-data":
        _require_short_heads(request)
    else:
        _require_short_fields(request, longer)
    return {name: ",".join(values) for name, values in request.form.lists()}


def _require_short_fields(request: flask.Request, longer: Mapping[str, int]) -> None:
    """Return if the fields of a form are few, and each takes no more bytes than it can.

    Werkzeug limits neither: it reads any number of them, and every percent code by itself.

    Raises:
        RequestEntityTooLarge: there are more, or one takes more.
    """
    fields = request.get_data().split(b"&", MAX_FIELDS)
    if len(fields) > MAX_FIELDS:
        raise RequestEntityTooLarge
    for field in fields:
        name = field.partition(b"=")[0].decode("latin-1")
        if len(field) > MAX_BYTES_A_CHARACTER * (MAX_TEXT + longer.get(name, MAX_TEXT)):
            raise RequestEntityTooLarge


def _require_short_heads(request: flask.Request) -> None:
    """Return if there is little before the fields of a form with files.

    Werkzeug reads every quote and every parameter there by itself, and limits neither.

    Raises:
        RequestEntityTooLarge: there is more.
    """
    boundary = request.mimetype_params.get("boundary", "").encode()
    if not boundary:
        return
    parts = request.get_data().split(b"--" + boundary, MAX_FIELDS + 2)[1:]
    heads = sum(len(part.partition(b"\r\n\r\n")[0]) for part in parts)
    if len(parts) > MAX_FIELDS + 1 or heads > MAX_HEADS + MAX_BYTES_A_HEAD * MAX_FIELDS:
        raise RequestEntityTooLarge


def _json_texts(request: flask.Request) -> dict[str, str]:
    """Return the texts and numbers of a JSON object.

    Raises:
        BadRequest: it is not an object of texts and numbers.
        RequestEntityTooLarge: it has too many fields.
    """
    try:
        sent = request.get_json()
    except RecursionError:  # nested deeper than any object of ours
        sent = None
    if not isinstance(sent, dict):
        raise BadRequest
    if len(sent) > MAX_FIELDS:
        raise RequestEntityTooLarge
    if any(isinstance(value, dict | list) for value in sent.values()):
        raise BadRequest
    texts = {name: str(value) for name, value in sent.items() if value is not None}
    try:
        "".join((*texts, *texts.values())).encode()
    except UnicodeEncodeError:
        raise BadRequest from None  # half a character: no page could say it again
    return texts
