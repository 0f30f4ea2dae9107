"""The site as several workers, and browsers that send them requests."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, Final
from wsgiref.types import WSGIApplication

import flask
import pytest
from werkzeug.datastructures import Headers

from cardgames.advice import Odds
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.twentyone.engine import State
from tests.simulation.world import Killed, Turns, Worker, World
from tests.support.http_client import JSON, Answer, Client, Request
from web.classroom.core.presence import NOTES, PresenceTracker
from web.http.threads import THREADS
from web.tables.queries import round_ledger

LOST: Final = Answer(0, Headers(), b"")
MakeApp = Callable[[], WSGIApplication]


class Site:
    """Workers that share a database. A killed worker is replaced by a new worker."""

    def __init__(self, world: World, make_app: MakeApp, workers: int = 2) -> None:
        """Start the workers.

        Args:
            world: The simulated world.
            make_app: Returns the site as in a new process, with an empty memory.
            workers: Number of workers.
        """
        self.world = world
        self._make_app, self._workers = make_app, workers
        self.restart()

    def restart(self) -> None:
        """Restart all workers."""
        self._slots = [self._start(number) for number in range(self._workers)]

    def _start(self, number: int) -> tuple[Worker, WSGIApplication]:
        return Worker(number, Turns(self.world, THREADS)), self._make_app()

    def client(self) -> Client:
        """Return a browser that reads JSON."""
        return Client(self._answer, headers={**JSON, "Sec-Fetch-Site": "same-origin"})

    def _answer(self, request: Request) -> Answer:
        """Process a request in any worker, as soon as one of the worker's threads is free."""
        number = self.world.random.randrange(len(self._slots))
        worker, app = self._slots[number]
        if not worker.alive:
            worker, app = self._slots[number] = self._start(number)
        self.world.counts["requests"] += 1
        with worker.turns.taken(), self.world.answering(worker):
            try:
                received = _call(app, _environ(request))
            except Killed:
                worker.alive = False
        if not worker.alive:
            return LOST
        self.world.counts["accepted requests"] += (request.method, received.status) == ("POST", 200)
        return received


def emptied(app: flask.Flask) -> flask.Flask:
    """Return an app with an empty memory, as in a new process. Creating an app is slow."""
    app.extensions[NOTES] = PresenceTracker(time.monotonic)
    return app


@contextmanager
def computed_once() -> Iterator[None]:
    """Compute the odds of a decision only once, because this is slow.

    The odds are those of the first deck with this total and upcard. They are not exact but
    consistent, and the test only compares responses about a round with each other.
    """
    known: dict[tuple[object, ...], Odds] = {}
    exact = TwentyOneAdvisor.odds

    def odds(advisor: TwentyOneAdvisor, state: State) -> Odds:
        at = advisor.situation(state)
        key = advisor, at.total, at.soft, at.upcard.rank, state.winner is None
        if key not in known:
            known[key] = exact(advisor, state)
        return known[key]

    round_ledger.cache_clear()  # The cache has results of other odds.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TwentyOneAdvisor, "odds", odds)
        yield
    round_ledger.cache_clear()


def _environ(request: Request) -> dict[str, Any]:
    """Return a WSGI request. Werkzeug's builder would take most of a simulated day."""
    path, _, query = request.path.partition("?")
    headers = {
        f"HTTP_{name.upper().replace('-', '_')}": value for name, value in request.headers.items()
    }
    return {
        "REQUEST_METHOD": request.method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "localhost",
        "CONTENT_TYPE": headers.pop("HTTP_CONTENT_TYPE", ""),
        "CONTENT_LENGTH": str(len(request.body)) if request.method == "POST" else "",
        **headers,
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(request.body),
        "wsgi.errors": BytesIO(),
    }


def _call(app: WSGIApplication, environ: dict[str, Any]) -> Answer:
    """Return the response of a WSGI app."""
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
    return Answer(status, Headers(headers), body)
