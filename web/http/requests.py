"""The fields and preferences of a request.

The number and length of the fields are limited before the fields are used.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import flask
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnprocessableEntity

from cardgames.text import Text

MAX_BODY: Final = 256 * 1024
"""Maximum size of a form's body in bytes."""

MAX_ADDRESS: Final = 8_000
"""Maximum length of a URL.

The longest URLs are what-if URLs, which contain two records of a round.
"""

MAX_TEXT: Final = 1_000
"""Maximum length of a field, unless its view declares another maximum."""

MAX_FIELDS: Final = 100
"""Maximum number of fields of a form."""

MAX_FORM: Final = 16 * 1024
"""Maximum size of a form in bytes, in addition to the maximum sizes of its fields."""

MAX_BYTES_A_FIELD: Final = 160
"""Mean size of a short field in bytes, with its separators."""

MAX_BYTES_A_CHARACTER: Final = 12
"""Maximum size of a character: four bytes, each percent-encoded as three bytes."""

MAX_HEADS: Final = 2_048
"""Maximum total size of the headers of all parts, in bytes, in addition to ``MAX_BYTES_A_HEAD`` per
part.
"""

MAX_BYTES_A_HEAD: Final = 64
"""Mean size of the headers of one part, in bytes."""

_NO_LONGER: Final[Mapping[str, int]] = MappingProxyType({})


class FieldTooLong(UnprocessableEntity):
    """Raised if a field of a form is too long."""

    sentence = Text("A field of that form is too long.")


def wants_json() -> bool:
    """Return whether the Accept header contains JSON.

    For ``*/*`` and all other types, the response is a page.
    """
    return any(
        kind.partition(";")[0].strip().lower() == "application/json" and quality > 0
        for kind, quality in flask.request.accept_mimetypes
    )


def is_too_long(request: flask.Request) -> bool:
    """Return whether the URL of a request is longer than any valid URL of the site."""
    return len(request.path) + len(request.query_string) > MAX_ADDRESS


def prefers_page(request: flask.Request) -> bool:
    """Return whether the client prefers the page itself to a redirect (RFC 7240).

    >>> app = flask.Flask("example")
    >>> with app.test_request_context(headers={"Prefer": "wait=5, Return=representation"}):
    ...     prefers_page(flask.request)
    True
    """
    wishes = request.environ.get("HTTP_PREFER", "").lower().split(",")
    return "return=representation" in map(str.strip, wishes)


def form_fields(longer: Mapping[str, int] = _NO_LONGER) -> dict[str, str]:
    """Return the text fields of a request, from a form or a JSON object.

    The length of all input is limited here before it is normalized, compared or parsed. The values
    of a repeated field are joined with commas. A JSON field with the value null is omitted.

    Args:
        longer: The maximum lengths of the fields that may be longer than ``MAX_TEXT``.

    Raises:
        BadRequest: If the body is not a JSON object of strings and numbers.
        FieldTooLong: If a field is too long.
        RequestEntityTooLarge: If the form has too many fields, or is too large.
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


def form_files() -> Iterable[tuple[str, FileStorage]]:
    """Yield the names and files of the form that :func:`form_fields` read."""
    return flask.request.files.items(multi=True)


def _form_texts(request: flask.Request, longer: Mapping[str, int]) -> dict[str, str]:
    """Return the string fields of a form.

    Raises:
        RequestEntityTooLarge: If the form has too many fields, or is too large.
    """
    request.max_form_parts = MAX_FIELDS
    if request.mimetype == "multipart/form-data":
        _require_short_heads(request)
    else:
        _require_short_fields(request, longer)
    return {name: ",".join(values) for name, values in request.form.lists()}


def _require_short_fields(request: flask.Request, longer: Mapping[str, int]) -> None:
    """Check the number of a form's fields and the length of each field.

    Werkzeug has no such limits, and decodes each percent-encoded byte separately.

    Raises:
        RequestEntityTooLarge: If the form has too many fields, or a field is too long.
    """
    fields = request.get_data().split(b"&", MAX_FIELDS)
    if len(fields) > MAX_FIELDS:
        raise RequestEntityTooLarge
    for field in fields:
        name = field.partition(b"=")[0].decode("latin-1")
        if len(field) > MAX_BYTES_A_CHARACTER * (MAX_TEXT + longer.get(name, MAX_TEXT)):
            raise RequestEntityTooLarge


def _require_short_heads(request: flask.Request) -> None:
    """Check that the headers of a form's parts are within the maximum size.

    Werkzeug parses any number of quotes and parameters in these headers.

    Raises:
        RequestEntityTooLarge: If the headers are too large.
    """
    boundary = request.mimetype_params.get("boundary", "").encode()
    if not boundary:
        return
    parts = request.get_data().split(b"--" + boundary, MAX_FIELDS + 2)[1:]
    heads = sum(len(part.partition(b"\r\n\r\n")[0]) for part in parts)
    if len(parts) > MAX_FIELDS + 1 or heads > MAX_HEADS + MAX_BYTES_A_HEAD * MAX_FIELDS:
        raise RequestEntityTooLarge


def _json_texts(request: flask.Request) -> dict[str, str]:
    """Return the strings and numbers in a JSON object.

    Raises:
        BadRequest: If the body is not a JSON object of strings and numbers.
        RequestEntityTooLarge: If the form has too many fields.
    """
    try:
        sent = request.get_json()
    except RecursionError:  # The JSON is nested more deeply than any valid object.
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
        raise BadRequest from None  # Half of a surrogate pair cannot be output on any page.
    return texts
