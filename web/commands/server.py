"""The server: granian's processes, each with the site in it."""

import gc
import logging
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import flask
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.common import AbstractServer

from web.commands.upkeep import look_after_hourly
from web.http.asgi import ASGIApplication
from web.processes import exit_with_parent
from web.settings import Settings

MAX_CONNECTIONS: Final = 2_048
"""Maximum number of connections of a worker; who comes later waits for one to end."""

KEPT_FREE: Final = 200
"""Number of a worker's open files that are not for connections."""

IDLE: Final = 15
"""Number of seconds without a request after which a connection is hung up."""

SWITCH: Final = 0.0005
"""Number of seconds after which a thread lets others go on: a move gives the interpreter up at each
call of SQLite, and waits as long to have it back."""

STOPS_WITHIN: Final = 3
"""Number of seconds in which a worker has to stop: by itself it waits for who has sent half a
request, for as long as that may take."""

PAUSE: Final = 2
"""Number of seconds before the server starts again whose workers have died one after the other."""

MakeApp = Callable[[Settings], flask.Flask]
log = logging.getLogger("cardgames.server")


def serve(settings: Settings, make_app: MakeApp) -> None:
    """Serve a site until the process is stopped, and start workers again that have died.

    Args:
        settings: where, and with how many workers; each of them gets the same.
        make_app: makes the site in a worker.
    """
    while True:
        server = _server(settings)
        try:
            server.serve(target_loader=partial(_worker, settings, make_app), wrap_loader=False)
        except SystemExit:  # a worker died within seconds of another, and granian gives up
            for stop in (signal.SIGINT, signal.SIGTERM):
                signal.signal(stop, signal.SIG_DFL)  # nothing is served now: a stop just stops
            if server.interrupt_signal:
                return
        else:
            return
        log.error("the workers died again and again: the server starts again in %d s", PAUSE)
        time.sleep(PAUSE)


def _server(settings: Settings) -> AbstractServer[Any]:
    """Return a server with the limits of ours, before it has listened."""
    return Granian(
        "app",
        interface=Interfaces.ASGINL,
        address=settings.host,
        port=settings.port,
        workers=settings.workers,
        respawn_failed_workers=True,
        workers_kill_timeout=STOPS_WITHIN,
        # Not "auto": that one waits for a first byte, without an end, to know HTTP/2 by it.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=IDLE * 1_000),
        backpressure=max(1, min(MAX_CONNECTIONS, _max_open_files() - KEPT_FREE)),
        websockets=False,
    )


def _worker(settings: Settings, make_app: MakeApp) -> ASGIApplication:
    """Return the site in a worker process, which must not outlive its server."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # stopped before it serves, it just ends
    exit_with_parent()
    sys.setswitchinterval(SWITCH)
    app = make_app(settings)
    look_after_hourly(app)
    gc.collect()
    gc.freeze()  # the app never becomes garbage, and looking it through takes 20 ms
    return ASGIApplication(app, settings.url_prefix)


def _max_open_files() -> int:
    """Return how many files a worker may have open, after raising it as far as it is of use."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:  # Windows, which has no such limit for sockets
        return MAX_CONNECTIONS + KEPT_FREE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + KEPT_FREE
    most = max(soft, wanted if hard == resource.RLIM_INFINITY else min(wanted, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most
