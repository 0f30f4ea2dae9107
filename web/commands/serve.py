"""The server: what can be checked is checked first, then granian's processes serve the site."""

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
from typing import Any, Final

import click
import flask
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.common import AbstractServer

from web import db, schema
from web.classroom.opening import make_links
from web.commands import instructor_link, running, upkeep
from web.data_dir import data_dir, url_in
from web.http import i18n, security
from web.http.asgi import ASGIApplication
from web.http.threads import THREADS
from web.processes import exit_with_parent
from web.reach import server_addresses, unknown_address
from web.settings import POSTGRESQL, BadSetting, Settings, command_line

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
"""Number of seconds in which a worker has to stop; without a limit it would wait for the rest of a
request that is half sent."""

PAUSE: Final = 2
"""Number of seconds before the server starts again whose workers have died one after the other."""

MakeApp = Callable[[Settings], flask.Flask]
log = logging.getLogger("cardgames.server")


def run(make_app: MakeApp) -> int:
    """Serve the site until the process is stopped; return the exit code.

    Args:
        make_app: makes the site, here and in each worker.
    """
    try:
        settings = Settings.from_environment()
        require_free_port(settings)
        _prepare_database(settings)
        app = make_app(settings)
        # The workers are forked from here, and SQLite's locks do not survive that.
        with db.database(app), app.app_context():
            upkeep.look_after(app)
            i18n.compile_templates(app)
            # Not into a log: there a link would be a key for its readers.
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
    """Create or upgrade the tables, and say so, because it takes seconds the first time.

    An error is left to the app, which does the same.
    """
    url = settings.database_url or url_in(data_dir(settings))
    with db.Database(url) as database, suppress(db.Unavailable):
        if not schema.is_current(database):
            began = time.monotonic()
            click.echo("Tables of the database ...", nl=False)
            schema.upgrade(database)
            click.echo(f" {time.monotonic() - began:.0f} s")


def greeting(settings: Settings, *, has_links: bool = False) -> str:
    """Say where phones and this machine find the site, and how classes are opened."""
    addresses = (f"{base}{settings.url_prefix}/" for base in server_addresses(settings))
    where = f"Cardgames is at {' and '.join(addresses)} (stop with Ctrl+C)."
    if has_links:
        return f"{where}\nTo open classes, in your browser:"
    if settings.classes == "off":
        return where
    return f"{where}\nTo open classes, in a second terminal: {command_line('instructor-link')}"


def require_free_port(settings: Settings) -> None:
    """Return if the server can listen where it should.

    Raises:
        BadSetting: it cannot, and why.
    """
    where = f"PORT {settings.port} of {settings.host}"
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, number) as probe:
            # As the server does: connections that are just being closed do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except socket.gaierror:
        raise BadSetting(f"HOST {settings.host!r} is no address of this machine.") from None
    except OSError as error:
        match error.errno:
            case errno.EADDRINUSE:
                sentence = f"{where} is taken by another program. Stop it, or set another PORT."
            case errno.EACCES:
                sentence = f"{where} is for administrators only. Set a PORT of 1024 or more."
            case errno.EADDRNOTAVAIL:
                sentence = f"HOST {settings.host} is no address of this machine."
            case _:
                sentence = f"{where}: {error.strerror}."
        raise BadSetting(sentence) from None


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
    upkeep.look_after_hourly(app)
    gc.collect()
    gc.freeze()  # the app never becomes garbage, and looking it through takes 20 ms
    at_once = THREADS if settings.database_url.startswith(POSTGRESQL) else 1
    return ASGIApplication(app, settings.url_prefix, at_once)


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
