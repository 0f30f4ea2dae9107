"""Two representations of everything: JSON for whoever names it, pages for everybody else."""

import logging
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final
from wsgiref.types import WSGIEnvironment

import flask
import msgspec
from werkzeug.datastructures import Headers
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    InternalServerError,
    RequestEntityTooLarge,
    ServiceUnavailable,
    TooManyRequests,
    UnprocessableEntity,
)

from cardgames import GAMES
from cardgames.text import Text
from web.http.addresses import is_too_long, quote_path
from web.http.compression import LEAST, compressed, reads_gzip
from web.http.i18n import templates
from web.http.preferences import chosen
from web.http.requests import MAX_BYTES_A_CHARACTER, MAX_TEXT, current_request
from web.storage.sessions import NoRoom
from web.storage.store import StoreFull, StoreUnavailable

MAX_FIELDS: Final = 100
"""Maximum number of fields of a form whose view declares no other."""

MAX_GRID_FIELDS: Final = 1_000
"""Maximum number of fields of a form with a strategy chart to press, which has up to 280 cells."""

MAX_FORM: Final = 16 * 1024
"""Maximum number of bytes of a form, but for what its fields take by their number and length."""

_MAX_BYTES_A_FIELD: Final = 160
"""A short field with its name, and what stands around it in a form with files."""

_NO_LONGER: Final[Mapping[str, int]] = MappingProxyType({})

log = logging.getLogger("cardgames.responses")

encoded: Final = msgspec.json.Encoder(enc_hook=str).encode
"""Writes as JSON what a game says of itself; a :class:`~cardgames.words.Text` as the text it is."""

_PAGE: Final = "text/html; charset=utf-8"
_NO_LENGTH: Final = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_MAY_LEAD_ON: Final = frozenset((HTTPStatus.CREATED, *range(300, 400)))

_SENTENCES: Final = {
    400: Text("That request could not be understood."),
    403: Text("That form came from another site, so it was not accepted."),
    404: Text("There is nothing at this address."),
    405: Text("This address does not take that kind of request."),
    408: Text(
        "The rest of what you sent did not come in time. Nothing has changed: send it again."
    ),
    429: Text("That was too fast for a full class: wait a moment, then go on."),
    422: Text("There are no odds to give now: no decision is open."),
    413: Text("That was too large: this form takes less text, or fewer fields."),
    414: Text("That address is too long."),
    431: Text(
        "Your browser sent more than 16 KB of cookies and other headers. Delete the cookies of "
        "this site, then try again."
    ),
    500: Text("Something went wrong here. Your table is as it was before."),
    503: Text(
        "The server cannot save games just now. Your table is as it was; try again in a moment."
    ),
}


class FieldTooLong(UnprocessableEntity):
    """A field of a form has more characters than it may."""

    sentence = Text("A field of that form is longer than anything that belongs into it.")


class Response(flask.Response):
    """An answer whose headers go out as they stand: our addresses are written in ASCII already."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """Return the headers, with the body's length.

        Werkzeug copies them, looks at each, and takes addresses apart to write them anew: a
        twentieth of a move's cost.
        """
        plain = self.is_sequence and self.status_code not in _NO_LENGTH
        leads_on = self.status_code in _MAY_LEAD_ON and "Location" in self.headers
        if not plain or (leads_on and not self.headers["Location"].isascii()):
            return super().get_wsgi_headers(environ)
        if "Content-Length" not in self.headers:
            self.headers["Content-Length"] = str(sum(map(len, self.iter_encoded())))
        return self.headers

    def get_app_iter(self, environ: WSGIEnvironment) -> Iterable[bytes]:
        """Return the body. Werkzeug wraps one, to close it; a text has nothing to close."""
        is_whole = self.is_sequence and self.status_code not in _NO_LENGTH
        if is_whole and environ["REQUEST_METHOD"] != "HEAD":
            return [*self.iter_encoded()]
        return super().get_app_iter(environ)


def wants_json() -> bool:
    """Say whether the request names JSON; ``*/*`` and anything else get a page."""
    request = current_request()
    accept = request.environ.get("HTTP_ACCEPT", "")
    if accept == "application/json":  # as programs say it
        return True
    if "json" not in accept.lower():
        return False
    return any(
        kind.partition(";")[0].strip().lower() == "application/json" and quality > 0
        for kind, quality in request.accept_mimetypes
    )


def sent_texts(longer: Mapping[str, int] = _NO_LONGER, most: int = MAX_FIELDS) -> dict[str, str]:
    """Return the text fields of the request, from a form or a JSON object.

    Nothing that a visitor sends is normalized, compared or parsed before it was bounded here. What
    a form has several times is a list with commas between; a null in JSON is left out.

    Args:
        longer: maximum number of characters of the fields that may have more than ``MAX_TEXT``.
        most: maximum number of fields.

    Raises:
        BadRequest: JSON was sent that is no object, or has a text that is none.
        FieldTooLong: a field has more characters than it may.
        RequestEntityTooLarge: there are more fields, or more bytes than they can take.
    """
    request = current_request()
    longest = MAX_BYTES_A_CHARACTER * sum(longer.values())
    largest = MAX_FORM + _MAX_BYTES_A_FIELD * most + longest
    request.max_content_length = min(flask.current_app.config["MAX_CONTENT_LENGTH"], largest)
    if request.is_plain_form or request.mimetype != "application/json":
        texts = request.form_fields(longer, most)
    else:
        texts = _json_texts(request, most)
    if any(
        len(name) > MAX_TEXT or len(text) > longer.get(name, MAX_TEXT)
        for name, text in texts.items()
    ):
        raise FieldTooLong
    return texts


def _json_texts(request: flask.Request, most: int) -> dict[str, str]:
    """Return the texts and numbers of a JSON object.

    Raises:
        BadRequest: it is no object, or has a text that is none.
        RequestEntityTooLarge: it has too many fields.
    """
    try:
        sent = request.get_json()
    except RecursionError:  # nested deeper than any object of ours
        sent = None
    if not isinstance(sent, dict):
        raise BadRequest
    if len(sent) > most:
        raise RequestEntityTooLarge
    if any(isinstance(value, dict | list) for value in sent.values()):
        raise BadRequest
    texts = {name: str(value) for name, value in sent.items() if value is not None}
    try:
        "".join((*texts, *texts.values())).encode()
    except UnicodeEncodeError:
        raise BadRequest from None  # half a character: no page could say it again
    return texts


def json_response(answer: Any, status: int = 200, error: str = "") -> flask.Response:
    """Return an answer in JSON; dataclasses, enums and tuples come out as in the contract.

    Args:
        answer: the answer; an object where there is an error to be told with it.
        status: the answer's.
        error: why what was asked was not done; empty if it was.
    """
    told = {**answer, "error": error} if error else answer
    return _small(encoded(told), status, "application/json")


def refusal(sentence: str, status: int, **more: Any) -> flask.Response:
    """Return an answer that is a sentence and nothing else, as a page or in JSON.

    The page leads back to where its address belongs.

    Args:
        sentence: why there is nothing else.
        status: the answer's.
        **more: what a program is told besides.
    """
    if wants_json():
        return json_response(more, status, sentence)
    game = GAMES.get(flask.request.path.strip("/").partition("/")[0])
    return render_page("error.html", status, sentence=sentence, game=game)


def render_page(template: str | list[str], status: int = 200, **context: Any) -> flask.Response:
    """Return an answer as a page, in the reader's language.

    Every template knows the addresses ``root`` and ``static``, its own below root, ``here``, the
    same as a field of another address, ``here_quoted``, and how its reader wants it to ``look``.

    Rendered without Flask's context processors and signals: nobody here listens to them, and they
    were a tenth of a page's cost.
    """
    request = current_request()
    root = request.root_path
    static = f"{root}/{flask.current_app.config['STATIC']}"
    names = [template] if isinstance(template, str) else template
    found = templates().select_template([*names])
    here = _here(request)
    text = found.render(
        root=root,
        static=static,
        here=here,
        here_quoted=quote_path(here),
        look=chosen(),
        status=status,
        **context,
    )
    return _small(text.encode(), status, _PAGE)


def see_other(address: str) -> flask.Response:
    """Return an answer that leads on to an address, so that reload and back send no form again."""
    return Response(b"", HTTPStatus.SEE_OTHER, [("Location", address)], content_type=_PAGE)


def _small(body: bytes, status: int, kind: str) -> flask.Response:
    """Return an answer whose body is compressed where that pays, and can be read."""
    accepted = current_request().environ.get("HTTP_ACCEPT_ENCODING", "")
    if len(body) < LEAST or not reads_gzip(accepted):
        return Response(body, status, content_type=kind)
    answer = Response(compressed(body), status, content_type=kind)
    answer.headers["Content-Encoding"] = "gzip"
    return answer


def _here(request: flask.Request) -> str:
    """Return the address of a page below ``root``.

    Without a query that holds an address itself: the settings of the settings would never end.
    One that is refused for its length is not shown again.
    """
    if is_too_long(request):
        return "/"
    if not request.query_string or request.method != "GET" or "to" in request.args:
        return request.path
    return f"{request.path}?{request.query_string.decode('ascii', 'replace')}"


def register(app: flask.Flask) -> None:
    """Give an app error pages in the look of the site, and errors in JSON."""
    app.register_error_handler(HTTPException, _error)
    app.register_error_handler(StoreUnavailable, _unavailable)
    app.register_error_handler(StoreFull, _full)


def _unavailable(error: StoreUnavailable) -> flask.Response:
    """Answer that nothing can be read or saved just now."""
    log.error("store: %s", error)
    return _error(ServiceUnavailable())


def _full(_: StoreFull) -> flask.Response:
    """Answer that there is no room for what would be kept."""
    log.warning("store: full, something new was turned away")
    return _error(NoRoom())


def _error(error: HTTPException) -> flask.Response:
    """Answer an error with one sentence, its own or that of its status.

    Never with what the exception says of its insides.
    """
    status = error.code or 500
    sentence: str = getattr(error, "sentence", "") or _SENTENCES.get(status, error.name)
    response = refusal(sentence, status)
    if isinstance(error, ServiceUnavailable | InternalServerError):
        response.headers["Retry-After"] = "5"
    if isinstance(error, TooManyRequests):
        response.headers["Retry-After"] = str(error.retry_after)
    if allowed := getattr(error, "valid_methods", None):
        response.headers["Allow"] = ", ".join(sorted(allowed))
    return response
