"""Responses in two representations: JSON if ``Accept`` contains JSON, otherwise pages."""

import gzip
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import flask
import msgspec
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import (
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    NotFound,
    ServiceUnavailable,
)

from cardgames import GAMES
from cardgames.text import Text
from web import db
from web.http.addresses import site_address
from web.http.i18n import set_language
from web.http.requests import is_too_long, prefers_page, wants_json
from web.http.security import add_headers
from web.http.sessions import current_session, sessions
from web.preferences import chosen

log = logging.getLogger("cardgames.responses")

encoded: Final = msgspec.json.Encoder(enc_hook=str).encode
"""Encodes JSON. A :class:`~cardgames.text.Text` is replaced by its English string."""

MIN_COMPRESSED: Final = 1_000
"""Minimum size of a compressed body in bytes.

A smaller body fits into one packet without compression.
"""

Show = Callable[[], ResponseReturnValue]
"""A function that renders the page after an accepted form."""

_COMPRESSED: Final = ("text/html", "application/json")
_JSON: Final = "application/json"
_APPLIED: Final = "return=representation"

_SENTENCES: Final = {
    400: Text("That request could not be understood."),
    403: Text("That form came from another site, so it was not accepted."),
    404: Text("There is nothing at this address."),
    405: Text("This address does not accept that kind of request."),
    408: Text("Your request timed out. Nothing has changed. Send the form again."),
    422: Text("No odds right now: there is no decision to make."),
    413: Text("That form was too large. Use less text, or fewer fields."),
    414: Text("That address is too long."),
    415: Text("Compressed forms are not accepted."),
    431: Text(
        "Your browser sent more than 16 KB of cookies and other headers. Delete the cookies of "
        "this site, then try again."
    ),
    500: Text("Something went wrong here. Your table is unchanged."),
    503: Text(
        "The server cannot save games right now. Your table is unchanged. Try again in a moment."
    ),
}


def json_response(answer: Any, status: int = 200, error: str = "") -> flask.Response:
    """Return a response in JSON.

    Dataclasses are encoded as objects, enums as their values, and tuples as arrays. ``error`` is
    the reason why the request was rejected, or an empty string. If there is an error, ``answer``
    must be an object.
    """
    body = {**answer, "error": error} if error else answer
    return flask.Response(encoded(body), status, content_type=_JSON)


def error_response(sentence: str, status: int, **more: Any) -> flask.Response:
    """Return a response with a single message, as a page or as JSON.

    The page has a link to the table to which the URL belongs. ``more`` contains additional keys of
    the JSON object.
    """
    if wants_json():
        return json_response(more, status, sentence)
    game = GAMES.get(flask.request.path.strip("/").partition("/")[0])
    page = flask.render_template("error.html", status=status, sentence=sentence, game=game)
    return flask.Response(page, status)


def _page_context() -> dict[str, Any]:
    """Return the variables that are available in every template.

    The variables include the prefix of the site (``root``), the page's own URL below the prefix
    (``here``), and the reader's preferences (``look``). If a script sends ``Prefer:
    return=representation``, the response is only the part of the page that the script replaces
    (``is_part``): the title and ``<main>``, and for a class also the header.
    """
    request = flask.request
    return {
        "root": request.root_path,
        "has_classes": flask.current_app.config["CLASSES"] != "off",
        "here": _current_url(request),
        "look": chosen(request),
        "language": set_language(),
        "is_part": prefers_page(request),
    }


class SeeOther(flask.Response):
    """A redirect after a form, so that reload and back do not send the form again."""

    show: Show | None = None
    """Function that renders the target, for a script that prefers it to a redirect.
    """


def see_other(address: str, show: Show | None = None) -> SeeOther:
    """Return a redirect after a form submission.

    If the request prefers the page, :class:`App` sends the page instead. ``show`` renders this
    page. Without this function, the response is always the redirect.
    """
    response = SeeOther(status=HTTPStatus.SEE_OTHER, headers={"Location": address})
    response.show = show
    return response


class App(flask.Flask):
    """A Flask app in which a request that may write is one transaction.

    A view loads, checks and changes data, and returns its response. Only this class commits or
    rolls back.
    """

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function unchanged, because no view or hook of the site is a coroutine.

        Flask would inspect every function that it calls for a request.
        """
        return func

    def dispatch_request(self) -> flask.Response:
        """Return the view's response after committing its changes.

        Raises:
            Unavailable: If the database could not commit.
            StoreFull: If the session is new and the database is full.
        """
        response = self.make_response(super().dispatch_request())
        if not db.may_write():
            return response
        if response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            sessions().save(current_session())
            db.commit()
        db.read_only()
        if isinstance(response, SeeOther) and response.show and prefers_page(flask.request):
            return self._page_at(response, response.show)
        return response

    def _page_at(self, redirect: SeeOther, show: Show) -> flask.Response:
        """Return a redirect's target page, or the redirect if rendering the page fails.

        The form was accepted and its changes are committed, so its response must not be an error.
        """
        try:
            page = self.make_response(show())
        except (HTTPException, *db.DATABASE_ERRORS) as error:
            log.warning("a page was not shown after its form: %s", type(error).__name__)
            return redirect
        except Exception:
            log.exception("a page could not be rendered after its form")
            return redirect
        if page.status_code == HTTPStatus.OK:
            page.headers["Content-Location"] = redirect.headers["Location"]
        return page

    def handle_user_exception(self, e: Exception) -> ResponseReturnValue:
        """Roll back the request's changes, then return the response for an error."""
        db.read_only()
        return super().handle_user_exception(e)


def _complete(answer: flask.Response) -> flask.Response:
    """Return the response after compressing it.

    The response is not compressed if the client does not accept gzip, or if the body is small.
    Compression shrinks a page to a third of its size and takes a fortieth of its rendering time. No
    response contains a secret that its length could reveal (BREACH). A page that is sent instead of
    a redirect has the header ``Preference-Applied``.
    """
    if answer.mimetype not in _COMPRESSED or answer.direct_passthrough:
        return answer
    body, request = answer.get_data(), flask.request
    if body and answer.mimetype == "text/html" and prefers_page(request):
        answer.headers["Preference-Applied"] = _APPLIED
    if len(body) >= MIN_COMPRESSED and request.accept_encodings.quality("gzip"):
        # The gzip header contains no timestamp, so that equal pages have equal bytes.
        answer.set_data(gzip.compress(body, compresslevel=1, mtime=0))
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _current_url(request: flask.Request) -> str:
    """Return the URL of a page below ``root``.

    A query that contains a URL is omitted, because links between settings pages would nest without
    end. A URL that is too long is replaced by the URL of the lobby.
    """
    if is_too_long(request):
        return "/"
    if not request.query_string or request.method != "GET" or "to" in request.args:
        return request.path
    return f"{request.path}?{request.query_string.decode('ascii', 'replace')}"


def register(app: flask.Flask) -> None:
    """Register the templates' context, the error pages and the compression."""
    app.context_processor(_page_context)
    app.after_request(_complete)
    app.register_error_handler(HTTPException, _error)
    for fault in db.DATABASE_ERRORS:
        app.register_error_handler(fault, _unavailable)


def error_page(
    app: flask.Flask,
    prefix: str,
    error: type[Exception],
    is_json: bool,  # noqa: FBT001 - part of a cache's key
    language: str,
) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return the status, headers and body of an error page outside of a request.

    The function does not call the app's middleware or its log.
    """
    headers = {"Accept": "application/json" if is_json else "", "Accept-Language": language}
    below = {"SCRIPT_NAME": prefix}
    with app.test_request_context("/", headers=headers, environ_overrides=below):
        response = app.make_response(app.handle_user_exception(error()))
        add_headers(response)
        return response.status_code, [*response.headers], response.get_data()


def _without_slash(request: flask.Request) -> str:
    """Return the URL without its final slash if that page exists, or an empty string."""
    path = request.path.rstrip("/")
    adapter = flask.current_app.create_url_adapter(request)
    if path == request.path or not adapter or not isinstance(request.routing_exception, NotFound):
        return ""
    try:
        adapter.match(path)
    except MethodNotAllowed:
        pass
    except HTTPException:
        return ""
    query = f"?{request.query_string.decode('latin-1')}" if request.query_string else ""
    return site_address(path) + query


def _unavailable(error: Exception) -> flask.Response:
    """Return the response if the database is currently unavailable."""
    log.error("database: %s", error)
    return _error(ServiceUnavailable())


def _error(error: HTTPException) -> flask.Response:
    """Return the response for an error.

    Its message is the error's own message, or the message for its status. The response never
    contains the text of the exception.
    """
    status = error.code or 500
    if status == HTTPStatus.NOT_FOUND and (address := _without_slash(flask.request)):
        return flask.Response(status=HTTPStatus.PERMANENT_REDIRECT, headers={"Location": address})
    sentence: str = getattr(error, "sentence", "") or _SENTENCES.get(status, error.name)
    try:
        response = error_response(sentence, status)
    except Exception:  # Rendering an error page must not raise another error.
        log.exception("an error page could not be rendered")
        response = flask.Response(str(sentence), status, content_type="text/plain; charset=utf-8")
    if isinstance(error, ServiceUnavailable | InternalServerError):
        response.headers["Retry-After"] = "5"
    if allowed := getattr(error, "valid_methods", None):
        response.headers["Allow"] = ", ".join(sorted(allowed))
    return response
