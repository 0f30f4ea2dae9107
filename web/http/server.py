"""The server: granian's processes, each with the site in it."""

import logging
import re
import resource
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Final
from wsgiref.types import WSGIApplication

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings

from web.http.rsgi import Early, RSGIApplication, never
from web.processes import exit_with_parent
from web.settings import Settings

MAX_CONNECTIONS: Final = 2_048
"""So many connections a worker holds; who comes later waits for one to end."""

KEPT_FREE: Final = 200
"""So many of a worker's open files are not for connections."""

IDLE: Final = 15
"""After so many seconds without a request a connection is hung up."""

MAY_TAKE_LONG: Final = re.compile(
    r"/(?:history|transcript|odds|results|replay|what-if|lab|sheets|insight|projector)(?:[/.]|$)"
    r"|/tournaments?(?:\.csv|/\d+)?$"  # and not at its deals, where moves are made
)
"""In the paths of pages that a worker makes beside the moves of others (:mod:`web.http.rsgi`)."""

MIN_PAUSE: Final = 1
"""Seconds before the server starts again after its workers have died twice in a row."""

MAX_PAUSE: Final = 30
"""Longest pause in seconds; each one is twice the one before."""

HEALTHY_AFTER: Final = 60
"""Seconds of serving after which the pauses begin at the shortest again."""

MakeApp = Callable[[Settings], WSGIApplication]
MakeEarly = Callable[[WSGIApplication], Early]

log = logging.getLogger("cardgames.server")


def _nothing_early(_: WSGIApplication) -> Early:
    return never


def serve(settings: Settings, make_app: MakeApp, make_early: MakeEarly = _nothing_early) -> None:
    """Serve a site until the process is told to stop.

    Workers that die are started again; where granian gives up, because they die within seconds of
    each other, the whole server is, after a pause.

    Args:
        settings: where, and with how many workers; each of them gets the same.
        make_app: makes the site in a worker; benchmarks serve another one the same way.
        make_early: makes, from the site, what answers some requests before it (``early`` of
            :class:`~web.http.rsgi.RSGIApplication`).
    """
    pause = MIN_PAUSE
    while True:
        server = Granian(
            "app",
            interface=Interfaces.RSGI,
            address=settings.host,
            port=settings.port,
            workers=settings.workers,
            respawn_failed_workers=True,
            workers_kill_timeout=8,
            # Not "auto": that one waits for a first byte, without an end, to tell HTTP/2 by it.
            http=HTTPModes.http1,
            http1_settings=HTTP1Settings(header_read_timeout=IDLE * 1_000),
            backpressure=max(1, min(MAX_CONNECTIONS, _open_files() - KEPT_FREE)),
            websockets=False,
        )
        started = time.monotonic()
        try:
            server.serve(
                target_loader=partial(_worker, settings, make_app, make_early), wrap_loader=False
            )
        except SystemExit:  # a worker died within seconds of another, and granian gives up
            for stop in (signal.SIGINT, signal.SIGTERM):
                signal.signal(stop, signal.SIG_DFL)  # nothing is served now: a stop just stops
            if server.interrupt_signal:
                return
        else:
            return
        if time.monotonic() - started > HEALTHY_AFTER:
            pause = MIN_PAUSE
        log.error("the workers died again and again: the server starts again in %d s", pause)
        time.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE)


def _worker(settings: Settings, make_app: MakeApp, make_early: MakeEarly) -> RSGIApplication:
    """Return the site in a worker process, which must not outlive its server."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # told to stop before it serves, it just does
    exit_with_parent()
    app = make_app(settings)
    return RSGIApplication(app, MAY_TAKE_LONG.search, make_early(app))


def _open_files() -> int:
    """Return how many files a worker may have open, after raising it as far as it is of use."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else sys.maxsize
    wanted = max(soft, min(most, MAX_CONNECTIONS + KEPT_FREE))
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
