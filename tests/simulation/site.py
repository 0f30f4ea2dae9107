"""The site as several workers answer it, and browsers that send it requests."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import Any, Final
from urllib.parse import urlencode
from wsgiref.types import WSGIApplication

import flask
import msgspec
import pytest

from cardgames.advice import Odds
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.twentyone.engine import State
from tests.simulation.world import Killed, Turns, Worker, World
from web.classroom.presence import NOTES, PresenceNotes
from web.http.threads import THREADS
from web.tables.rounds import ledger_of

JSON: Final = "application/json"


@dataclass(frozen=True)
class Answer:
    """What a browser received."""

    status: int
    """The HTTP status; 0 for a request whose connection was lost, so its outcome is unknown."""

    headers: Mapping[str, str]
    body: bytes

    @property
    def unknown(self) -> bool:
        """Whether the request may or may not have been carried out."""
        return self.status in (0, 503)

    @cached_property
    def json(self) -> Any:
        """The document; an empty one where none was received."""
        is_json = self.headers.get("Content-Type", "") == JSON
        return msgspec.json.decode(self.body) if is_json else {}


LOST: Final = Answer(0, {}, b"")
MakeApp = Callable[[], WSGIApplication]


class Site:
    """Workers that share a database. One that was killed is replaced by a new one."""

    def __init__(self, world: World, make_app: MakeApp, workers: int = 2) -> None:
        """Start the workers.

        Args:
            world: where they are.
            make_app: returns the site in a new process, with nothing in its memory.
            workers: how many there are.
        """
        self.world = world
        self._make_app, self._workers = make_app, workers
        self.restart()

    def restart(self) -> None:
        """Start all workers anew."""
        self._slots = [self._start(number) for number in range(self._workers)]

    def _start(self, number: int) -> tuple[Worker, WSGIApplication]:
        return Worker(number, Turns(self.world, THREADS)), self._make_app()

    def answer(self, environ: Mapping[str, Any]) -> Answer:
        """Have any worker answer a request, as soon as one of its threads is free."""
        number = self.world.random.randrange(len(self._slots))
        worker, app = self._slots[number]
        if not worker.alive:
            worker, app = self._slots[number] = self._start(number)
        self.world.counts["requests"] += 1
        with worker.turns.taken(), self.world.answering(worker):
            try:
                received = _call(app, dict(environ))
            except Killed:
                worker.alive = False
                return LOST
        return received if worker.alive else LOST


def emptied(app: flask.Flask) -> flask.Flask:
    """Return an app with nothing in its memory, as in a new process: to make one takes long."""
    app.extensions[NOTES] = PresenceNotes(time.monotonic)
    return app


@contextmanager
def computed_once() -> Iterator[None]:
    """Compute once what takes long: the odds of a decision.

    Odds are those of the first deck with which a total has stood against an upcard. That is not
    exact, but everywhere the same: what is compared is what was said of a round, here and there.
    """
    known: dict[tuple[object, ...], Odds] = {}
    exact = TwentyOneAdvisor.odds

    def odds(advisor: TwentyOneAdvisor, state: State) -> Odds:
        at = advisor.situation(state)
        key = advisor, at.total, at.soft, at.upcard.rank, state.winner is None
        if key not in known:
            known[key] = exact(advisor, state)
        return known[key]

    ledger_of.cache_clear()  # it remembers what other odds have made of a round
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TwentyOneAdvisor, "odds", odds)
        yield
    ledger_of.cache_clear()


@dataclass
class Browser:
    """Somebody's browser: it keeps cookies and sends forms."""

    site: Site
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, accept: str = JSON) -> Answer:
        """Look at a page, as JSON by default."""
        return self._send("GET", path, b"", accept)

    def post(self, path: str, fields: Mapping[str, object], accept: str = JSON) -> Answer:
        """Send a form."""
        return self._send("POST", path, urlencode(fields).encode(), accept)

    def _send(self, method: str, path: str, body: bytes, accept: str) -> Answer:
        path, _, query = path.partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_ACCEPT": accept,
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body),
            "wsgi.errors": BytesIO(),
        }
        if method == "POST":
            environ |= {
                "CONTENT_TYPE": "application/x-www-form-urlencoded",
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_SEC_FETCH_SITE": "same-origin",
            }
        if self.cookies:
            environ["HTTP_COOKIE"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        answer = self.site.answer(environ)
        if method == "POST" and answer.status == 200:
            self.site.world.counts["accepted requests"] += 1
        if cookie := answer.headers.get("Set-Cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer


def _call(app: WSGIApplication, environ: dict[str, Any]) -> Answer:
    """Return what a WSGI app answers."""
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> Any:
        started[:] = int(status[:3]), headers

    chunks = app(environ, start_response)
    try:
        body = b"".join(chunks)
    finally:
        if close := getattr(chunks, "close", None):
            close()
    status, headers = started
    return Answer(status, dict(headers), body)
