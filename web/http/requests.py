"""Requests as our views ask them: what every request is asked, the short way.

Flask lets a site bring its own class of requests and its own way to find the view for an address.
These answer as Werkzeug's do; the tests compare them.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from io import BytesIO
from typing import Any, Final, cast
from urllib.parse import unquote_plus

import flask
from flask.globals import request_ctx
from werkzeug.datastructures import FileStorage, ImmutableMultiDict
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.routing import Map, MapAdapter, Rule
from werkzeug.sansio.http import parse_cookie
from werkzeug.utils import cached_property

FORM: Final = "application/x-www-form-urlencoded"

_REMEMBERED: Final = 1_024
"""So many lists of cookies, and so many addresses, are remembered."""

_SHORT: Final = 512
"""If they have so many characters at most."""

_SHORT_FORM: Final = 4_096
"""A form of so many bytes is read at once: none is too large that is so short."""

MAX_TEXT: Final = 1_000
"""Maximum number of characters of a field for which its view declares no other."""

MAX_BYTES_A_CHARACTER: Final = 12
"""Four bytes, each in percent code."""

MAX_FIELD_HEAD: Final = 64
"""Mean of the bytes that may stand before a field of a form with files, of as many as may be."""

MAX_FILE_HEAD: Final = 2_048
"""Number of bytes that may stand there besides, as the names of files."""

Cookies = ImmutableMultiDict[str, str]
Found = dict[tuple[str, str], tuple[Rule, Mapping[str, Any]]]
"""What was found for methods and addresses."""


class Request(flask.Request):
    """A request."""

    move: str | None = None
    """The name of the move that it asks for, where it asks for one: for the log, and the counters.
    """

    @cached_property
    def cookies(self) -> Cookies:
        """The cookies: a player sends the same ones with each of their requests."""
        header = self.environ.get("HTTP_COOKIE", "")
        return _recent_cookies(header) if len(header) <= _SHORT else _cookies(header)

    def cookie(self, name: str) -> str:
        """Return a cookie; nothing where there is none."""
        # Their own get() makes an error of each that is not there, and most are not.
        return self.cookies[name] if name in self.cookies else ""  # noqa: SIM401

    def form_fields(self, longer: Mapping[str, int], most: int) -> dict[str, str]:
        """Return the text fields of a form; one sent several times is a list with commas between.

        Args:
            longer: maximum number of characters of the fields that may have more than ``MAX_TEXT``.
            most: maximum number of fields.

        Raises:
            RequestEntityTooLarge: it has more of them, is larger than ``max_content_length``, or a
                field takes more bytes than its characters can.
        """
        values: dict[str, list[str]] = {}
        for name, value in self._form_pairs(longer, most):
            values.setdefault(name, []).append(value)
        return {name: ",".join(texts) for name, texts in values.items()}

    def _form_pairs(self, longer: Mapping[str, int], most: int) -> Iterable[tuple[str, str]]:
        """Return the fields of a form one by one, once there are few enough of them."""
        if not self.is_plain_form:
            self._require_few_parts(most)
            return self.form.items(multi=True)
        try:
            sent = self._whole_body().decode()
        except UnicodeDecodeError:
            return ()  # as Werkzeug has it
        if sent.count("&") >= most:
            raise RequestEntityTooLarge
        pairs = (field.partition("=") for field in sent.split("&") if field)
        return [
            (_unquoted(name, MAX_TEXT), _unquoted(value, longer.get(name, MAX_TEXT)))
            for name, _, value in pairs
        ]

    def _require_few_parts(self, most: int) -> None:
        """Return if the parts of a form with files are few, and what stands before each is short.

        Werkzeug reads every quote and every parameter in the head of a part by itself.
        """
        self.max_form_parts = most
        boundary = self.mimetype_params.get("boundary", "").encode()
        if not boundary:
            return
        body, mark = self.get_data(), b"--" + boundary
        if body.count(mark) > most + 1:
            raise RequestEntityTooLarge
        heads = (len(part.partition(b"\r\n\r\n")[0]) for part in body.split(mark)[1:])
        if sum(heads) > MAX_FILE_HEAD + MAX_FIELD_HEAD * most:
            raise RequestEntityTooLarge

    @property
    def is_plain_form(self) -> bool:
        """Whether it is a form of texts; browsers say so in one way, and others may."""
        return self.environ.get("CONTENT_TYPE") == FORM or self.mimetype == FORM

    def _whole_body(self) -> bytes:
        """Return the body, which is then there again for whoever reads it in another way.

        Raises:
            HTTPException: it is too large, or was cut off.
        """
        told = self.environ.get("CONTENT_LENGTH", "")
        if not (told.isdecimal() and int(told) <= _SHORT_FORM):
            return self.get_data()
        body = self.input_stream.read(int(told))
        if len(body) < int(told):
            raise ClientDisconnected
        self.environ["wsgi.input"] = BytesIO(body)
        return body

    @property
    def uploads(self) -> Iterable[tuple[str, FileStorage]]:
        """The files of a form; one of texts alone has none."""
        return () if self.is_plain_form else self.files.items(multi=True)


def current_request() -> Request:
    """Return the request that is being answered: itself, and not Flask's stand-in for it."""
    context: Any = request_ctx
    return cast("Request", context._get_current_object().request)  # noqa: SLF001 - Werkzeug says so


class Addresses(MapAdapter):
    """Finds the view for the address of a request."""

    def __init__(self, addresses: Map, request: flask.Request, found: Found) -> None:
        """Look for a request's.

        Args:
            addresses: all those of the site, which has one name only.
            request: the request.
            found: what was found lately, and where this is added.
        """
        self._found = found
        super().__init__(
            addresses,
            server_name=request.host,
            script_name=request.root_path,
            subdomain="",
            url_scheme=request.scheme,
            path_info=request.path if request.environ.get("PATH_INFO") else "",
            default_method=request.method,
            query_args=request.query_string.decode("latin-1"),
        )

    def match(self, *args: Any, **kwargs: Any) -> Any:
        """Return what Werkzeug returns. A rule and the values in an address are remembered."""
        if args or kwargs != {"return_rule": True} or len(self.path_info) > _SHORT:
            return super().match(*args, **kwargs)
        asked = self.default_method, self.path_info
        found = self._found.get(asked)
        if found is None:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            found = self._found[asked] = super().match(return_rule=True)
        rule, values = found
        return rule, {**values}


def _unquoted(text: str, most: int) -> str:
    """Return what stands in a form for a name or a value of a number of characters at most.

    Raises:
        RequestEntityTooLarge: it takes more bytes.
    """
    if len(text) > MAX_BYTES_A_CHARACTER * most:
        raise RequestEntityTooLarge
    return unquote_plus(text, errors="werkzeug.url_quote") if "%" in text or "+" in text else text


def _cookies(header: str) -> Cookies:
    return cast("Cookies", parse_cookie(header, cls=ImmutableMultiDict))


_recent_cookies: Final = lru_cache(maxsize=_REMEMBERED)(_cookies)
