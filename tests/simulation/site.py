"""The site as several workers, and browsers that send requests to the workers."""

from collections.abc import Callable
from typing import Final
from wsgiref.types import WSGIApplication

from werkzeug.datastructures import Headers
from werkzeug.test import create_environ, run_wsgi_app

from tests.simulation.world import Killed, Lock, Worker, World
from tests.support.http_client import JSON, Answer, Client, Request
from web.http.threads import THREADS

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
        method, path, sent, body = request
        environ = create_environ(path, method=method, headers=sent, data=body)
        with self.world.answering(worker):
            try:
                chunks, status, headers = run_wsgi_app(app, environ, buffered=True)
            except Killed:
                worker.alive = False
        if not worker.alive:
            return LOST
        return Answer(int(status[:3]), headers, b"".join(chunks))
