"""JSON log on stderr: one line per request, and warnings and errors in the same format.

A line contains the route, the table, the move and the outcome. The log never contains a card, a
deck, a cookie, a name or a field of a form. An exception is logged with its type and its lines of
code, but without its message, because the message may quote a state. Only the route of a URL is
logged, because the URL of a replay contains the record of a round.
"""

import itertools
import logging
import secrets
import traceback
from collections.abc import Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import flask
import msgspec
from werkzeug.exceptions import HTTPException

from cardgames import GAMES
from cardgames.registry import RESERVED_SLUGS
from web import db

_OUTCOMES: Final = {
    200: "accepted",
    303: "accepted",
    400: "not understood",
    403: "other site",
    404: "no such table",
    409: "out of date",
    413: "too large",
    422: "refused",
    503: "not saved",
}
"""The outcome of a move, keyed by the HTTP status of its response."""

MOVE: Final = "cardgames.move"
"""The key of the move's name in a request's environment. A view sets the name for the log."""

_BEGAN: Final = "cardgames.began"
"""The key of the start time in a request's environment."""

_ID: Final = "cardgames.id"
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"))
_ACCEPTED: Final = (HTTPStatus.OK, HTTPStatus.SEE_OTHER)
_STDERR: Final = 2

_MOVES: Final = frozenset(
    move.name for game in GAMES.values() for move in (game.deals, *game.round_moves)
) | {"new"}
"""The names of the moves at the tables.

The name of any other move is logged only if the move was accepted.
"""

_FIRST_WORDS: Final = frozenset((*GAMES, *RESERVED_SLUGS))
"""The first segments of the site's paths."""

log = logging.getLogger("cardgames.requests")
_encode: Final = msgspec.json.Encoder().encode


def register(app: flask.Flask) -> None:
    """Log the app's requests, warnings and errors in the same format."""
    app.wsgi_app = _with_request_id(app.wsgi_app)  # type: ignore[method-assign, assignment]
    app.after_request(_log_request)
    app.log_exception = _log_exception  # type: ignore[assignment, method-assign]
    logger = logging.getLogger("cardgames")
    if not logger.handlers:
        # Each line is a single write, so that lines of several workers never mix.
        stderr = open(_STDERR, "w", buffering=1, closefd=False)  # noqa: SIM115 - open until the process exits
        handler = logging.StreamHandler(stderr)
        handler.setFormatter(LineFormatter())
        logger.addHandler(handler)
        log.setLevel(logging.INFO)


def _with_request_id(inner: WSGIApplication) -> WSGIApplication:
    """Add an ID and the start time to each request."""
    numbers, ours = itertools.count(1), secrets.token_hex(4)

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[_BEGAN], environ[_ID] = perf_counter(), f"{ours}-{next(numbers):x}"
        return inner(environ, start_response)

    return call


def _log_exception(error: Any) -> None:
    """Log an unexpected exception, but not the URL that Flask's message contains.

    If an error handler raises an HTTP error, this error is returned. Database errors have their own
    message.
    """
    if not isinstance(error[1], (HTTPException, *db.DATABASE_ERRORS)):
        log.error("a request has failed", exc_info=error)


def _log_request(response: flask.Response) -> flask.Response:
    """Log the current request."""
    response.headers["X-Request-Id"] = flask.request.environ[_ID]
    try:
        log.info(_line(flask.request, response.status_code))
    except Exception:  # If a log line cannot be written, the request must still succeed.
        log.exception("the line of a request")
    return response


def _line(request: flask.Request, status: int) -> dict[str, Any]:
    """Return the log line of a request."""
    environ, move = request.environ, request.environ.get(MOVE)
    line: dict[str, Any] = {
        "at": datetime.now(UTC),
        "id": environ[_ID],
        "method": request.method if request.method in _METHODS else "?",
        "path": _route(request),
        "status": status,
        "ms": round((perf_counter() - environ[_BEGAN]) * 1e3, 2),
    }
    slug = (request.view_args or {}).get("slug")
    if slug in GAMES:
        line["table"] = slug
    if move is not None:
        line["move"] = move if move in _MOVES or status in _ACCEPTED else "?"
        line["outcome"] = _OUTCOMES.get(status, "failed")
    return line


def _route(request: flask.Request) -> str:
    """Return the route of a request.

    The route omits the parts that the client chose. The URL of a replay contains cards and names,
    and an unknown URL may contain any text.
    """
    rule = request.url_rule
    if rule is None:
        first, _, more = request.path[1:].partition("/")
        known = first if first in _FIRST_WORDS else "?"
        return f"/{known}/?" if more else f"/{known}"
    arguments = request.view_args or {}
    slug = str(arguments.get("slug", ""))
    return rule.rule.replace("<slug>", slug) if slug in GAMES else rule.rule


class LineFormatter(logging.Formatter):
    """A formatter of log records as lines of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the log line of a request, or the line and the level of any other record."""
        if isinstance(record.msg, dict):
            return _encode(record.msg).decode()
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if flask.has_request_context():
            line["id"] = flask.request.environ.get(_ID, "")
        if record.exc_info and record.exc_info[1]:
            error = record.exc_info[1]
            line["error"] = type(error).__name__
            line["trace"] = " < ".join(
                f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
                for frame in reversed(traceback.extract_tb(error.__traceback__))
            )
        return _encode(line).decode()
