"""The command that serves the site with granian, after checking the settings and the port."""

import asyncio
import errno
import gc
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, Final

import click
import flask
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.common import AbstractServer

from web import db, schema
from web.classroom.desk.opening import make_links
from web.commands import instructor_link, running, upkeep
from web.data_dir import data_dir, url_in
from web.http import i18n, security
from web.http.asgi import ASGIApplication
from web.http.news import News
from web.processes import exit_with_parent
from web.reach import server_addresses, unknown_address
from web.settings import POSTGRESQL, BadSetting, Settings, command_line

MAX_CONNECTIONS: Final = 2_048
"""Maximum number of connections per worker. Further connections wait until another connection is
closed.
"""

KEPT_FREE: Final = 200
"""Number of open files per worker that are not connections."""

IDLE: Final = 15
"""Timeout, in seconds, for a connection without a request."""

SWITCH: Final = 0.0005
"""Interval, in seconds, after which the interpreter switches threads. A move releases the
interpreter's lock at each call of SQLite, and waits at most this long to acquire the lock again.
With Python's default of 5 ms, beside eight invalid decks at a time the 99th percentile of moves was
0.33 s instead of 0.17 to 0.25 s.
"""

STOPS_WITHIN: Final = 3
"""Timeout, in seconds, for a worker to stop. Without this timeout, the worker would wait for the
rest of an incomplete request.
"""

PAUSE: Final = 2
"""Delay, in seconds, before the server restarts because its workers died repeatedly."""

MakeApp = Callable[[Settings], flask.Flask]
log = logging.getLogger("cardgames.server")


def run(make_app: MakeApp) -> int:
    """Serve the site until the process is stopped; return the exit code.

    Args:
        make_app: The app factory, which is called here and in each worker.
    """
    try:
        settings = Settings.from_environment()
        require_free_port(settings)
        _prepare_database(settings)
        app = make_app(settings)
        # The workers are forked from this process, and SQLite's locks do not survive a fork.
        with db.database(app), app.app_context():
            upkeep.run_maintenance(app)
            i18n.compile_templates(app)
            # The link is not logged, because the log's readers could use it.
            is_shown = sys.stdout.isatty() and settings.classes != "off"
            links, minutes = make_links(settings) if is_shown else ([], 0)
    except (BadSetting, db.Unavailable) as error:
        click.echo(f"Cardgames cannot start. {error}", err=True)
        return 1
    for sentence in filter(None, [Settings.removed(), schema.old_store(settings.data_dir)]):
        click.echo(sentence, err=True)
    security.reset(settings)
    click.echo(greeting(settings, has_links=bool(links)))
    if unknown := unknown_address(settings):
        click.echo(unknown)
    if links:
        instructor_link.show(links, minutes, is_local=instructor_link.is_local(settings))
    with running.saved(settings):
        serve(settings, make_app)
    return 0


def _prepare_database(settings: Settings) -> None:
    """Create or upgrade the tables.

    The function prints a message, because this takes seconds the first time. Errors are ignored
    here, because the app also upgrades the tables and reports errors.
    """
    url = settings.database_url or url_in(data_dir(settings))
    with db.Database(url) as database, suppress(db.Unavailable):
        if not schema.is_current(database):
            began = time.monotonic()
            click.echo("Tables of the database ...", nl=False)
            schema.upgrade(database)
            click.echo(f" {time.monotonic() - began:.0f} s")


def greeting(settings: Settings, *, has_links: bool = False) -> str:
    """Return the message with the site's URLs and the instructions for classes."""
    addresses = (f"{base}{settings.url_prefix}/" for base in server_addresses(settings))
    first_line = f"Cardgames is at {' and '.join(addresses)} (stop with Ctrl+C)."
    if has_links:
        return f"{first_line}\nTo open classes, in your browser:"
    if settings.classes == "off":
        return first_line
    return f"{first_line}\nTo open classes, in a second terminal: {command_line('instructor-link')}"


def require_free_port(settings: Settings) -> None:
    """Raise BadSetting if the server cannot listen on its port.

    Raises:
        BadSetting: If the server cannot listen on its port; the error message contains the reason.
    """
    endpoint = f"PORT {settings.port} of {settings.host}"
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, number) as probe:
            # The server sets the same option, so that connections in TIME_WAIT are ignored.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except socket.gaierror:
        raise BadSetting(f"HOST {settings.host!r} is no address of this machine.") from None
    except OSError as error:
        match error.errno:
            case errno.EADDRINUSE:
                sentence = f"{endpoint} is taken by another program. Stop it, or set another PORT."
            case errno.EACCES:
                sentence = f"{endpoint} is for administrators only. Set a PORT of 1024 or more."
            case errno.EADDRNOTAVAIL:
                sentence = f"HOST {settings.host} is no address of this machine."
            case _:
                sentence = f"{endpoint}: {error.strerror}."
        raise BadSetting(sentence) from None


def serve(settings: Settings, make_app: MakeApp) -> None:
    """Serve a site until the process is stopped, and replace dead workers."""
    while True:
        server = _server(settings)
        try:
            server.serve(target_loader=partial(_worker, settings, make_app), wrap_loader=False)
        except SystemExit:  # granian gives up if workers die within seconds.
            for stop in (signal.SIGINT, signal.SIGTERM):
                signal.signal(stop, signal.SIG_DFL)  # There is no worker to stop gracefully.
            if server.interrupt_signal:
                return
        else:
            return
        log.error("the workers died again and again: the server starts again in %d s", PAUSE)
        time.sleep(PAUSE)


def _server(settings: Settings) -> AbstractServer[Any]:
    """Return a server that has our limits and does not listen yet."""
    return Granian(
        "app",
        interface=Interfaces.ASGINL,
        address=settings.host,
        port=settings.port,
        workers=settings.workers,
        respawn_failed_workers=True,
        workers_kill_timeout=STOPS_WITHIN,
        # "auto" would wait for the first byte without a timeout in order to detect HTTP/2.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=IDLE * 1_000),
        backpressure=max(1, min(MAX_CONNECTIONS, _max_open_files() - KEPT_FREE)),
        websockets=False,
    )


def _worker(settings: Settings, make_app: MakeApp) -> ASGIApplication:
    """Create the site in a worker process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the default until granian sets its handler
    exit_with_parent()
    sys.setswitchinterval(SWITCH)
    app = make_app(settings)
    upkeep.start_maintenance_thread(app)
    gc.collect()
    # The app is never deleted, and a garbage collection that examines the app takes 20 to 70 ms.
    gc.freeze()
    is_sqlite = not settings.database_url.startswith(POSTGRESQL)
    application = ASGIApplication(app, settings.url_prefix, is_sqlite=is_sqlite)
    # The current task belongs to granian, which starts it after setting its signal handlers.
    loop = asyncio.get_event_loop()
    loop.call_soon(_end_holds_on_stop, loop, application.news)
    return application


def _end_holds_on_stop(loop: asyncio.AbstractEventLoop, news: News) -> None:
    """Release the held requests when the process gets a signal to stop.

    granian waits for these requests. granian's own signal handlers are still called: by the event
    loop, which reads signals from a file descriptor (``signal.set_wakeup_fd``), or here on Windows.
    """

    def stop(handler: Any, number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(news.end)
        if callable(handler):
            handler(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(stop, signal.getsignal(number)))


def _max_open_files() -> int:
    """Raise the limit on open files up to the useful maximum, and return the limit."""
    try:
        import resource  # noqa: PLC0415 - the module is missing on some systems
    except ImportError:  # Windows has no such limit for sockets.
        return MAX_CONNECTIONS + KEPT_FREE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + KEPT_FREE
    most = max(soft, wanted if hard == resource.RLIM_INFINITY else min(wanted, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most
