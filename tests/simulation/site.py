"""The site as several workers, and browsers that send requests to the workers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, Final
from wsgiref.types import WSGIApplication

import pytest
from werkzeug.datastructures import Headers
from werkzeug.test import run_wsgi_app

from cardgames.advice import Odds
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.twentyone.engine import State
from tests.simulation.world import Killed, Lock, Worker, World
from tests.support.http_client import JSON, Answer, Client, Request
from web.http.threads import THREADS
from web.tables.queries import round_ledger

LOST: Final = Answer(0, Headers(), b"")
WORKERS: Final = 2


class Site:
    """Workers that share one database. A killed worker is replaced by a new worker."""

    def __init__(self, world: World, make_app: Callable[[], WSGIApplication]) -> None:
        """Start the workers.

        Args:
            world: The simulated world.
            make_app: Function that returns the site as in a new process, with empty caches.
        """
        self.world, self._make_app = world, make_app
        self._slots = [self._start() for _ in range(WORKERS)]

    def _start(self) -> tuple[Worker, WSGIApplication]:
        return Worker(Lock(self.world, THREADS)), self._make_app()

    def client(self) -> Client:
        """Return a browser that requests JSON."""
        return Client(self._answer, headers={**JSON, "Sec-Fetch-Site": "same-origin"})

    def _answer(self, request: Request) -> Answer:
        """Process a request in any worker."""
        number = self.world.random.randrange(WORKERS)
        worker, app = self._slots[number]
        if not worker.alive:
            worker, app = self._slots[number] = self._start()
        self.world.counts["requests"] += 1
        with self.world.answering(worker):
            try:
                chunks, status, headers = run_wsgi_app(app, _environ(request), buffered=True)
            except Killed:
                worker.alive = False
        if not worker.alive:
            return LOST
        return Answer(int(status[:3]), headers, b"".join(chunks))


@contextmanager
def odds_computed_once() -> Iterator[None]:
    """Compute the odds of a decision only once, because this is slow.

    All hands with the same total and upcard get the odds that were computed first. These odds are
    inexact but consistent, and the test only compares responses with each other.
    """
    known: dict[tuple[object, ...], Odds] = {}
    exact = TwentyOneAdvisor.odds

    def odds(advisor: TwentyOneAdvisor, state: State) -> Odds:
        at = advisor.situation(state)
        key = advisor, at.total, at.soft, at.upcard.rank, state.winner is None
        if key not in known:
            known[key] = exact(advisor, state)
        return known[key]

    round_ledger.cache_clear()  # The cache contains results of the other odds.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TwentyOneAdvisor, "odds", odds)
        yield
    round_ledger.cache_clear()


def _environ(request: Request) -> dict[str, Any]:
    """Return the WSGI environment of a request.

    Werkzeug's EnvironBuilder would take most of the time of a simulated day.
    """
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
