"""The way in: ``create_app()`` for a server of your own, ``python app.py`` for ours."""

import multiprocessing
import os
import re
import resource
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

import click
import flask
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from jinja2 import StrictUndefined
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.middleware.proxy_fix import ProxyFix

from web import (
    answers,
    check,
    commands,
    guard,
    lab,
    language,
    log,
    metrics,
    signing,
    static,
)
from web.deals import views as deals
from web.lobby import lobby
from web.rounds import history, replays
from web.rsgi import RSGIApplication
from web.sessions import SESSION_LIFETIME, Sessions
from web.settings import BadSetting, Settings
from web.store import StoreUnavailable, opened
from web.tables import advice
from web.tables import views as tables
from web.tables.old_sessions import upgrade

MAX_CONNECTIONS: Final = 2_048
"""How many connections a worker holds; who comes later waits for one to end."""

KEPT_FREE: Final = 200
"""How many of a worker's open files are not for connections."""

IDLE: Final = 15
"""After how many seconds without a request a connection is hung up."""

MAY_TAKE_LONG: Final = re.compile(
    r"/(?:history|transcript|odds|results|replay|what-if|lab)(?:[/.]|$)"
)
"""In the paths of pages that a worker makes beside the moves of others: see :mod:`web.rsgi`."""


def create_app(settings: Settings | None = None) -> flask.Flask:
    """Return the site as a WSGI app.

    Args:
        settings: what an instructor can set; the environment's by default.

    Raises:
        BadSetting: a setting makes no sense.
        StoreUnavailable: the sessions cannot be kept where they should be.
    """
    try:
        return _site(settings or Settings.from_environment())
    except (BadSetting, StoreUnavailable) as error:
        if click.get_current_context(silent=True):
            raise click.ClickException(str(error)) from None  # a sentence, no traceback
        raise


def _site(settings: Settings) -> flask.Flask:
    app = flask.Flask("cardgames", root_path=str(static.FOLDER.parent), static_folder=None)
    app.config.update(
        SECRET_KEY=settings.key(),
        SECRET_KEY_FALLBACKS=settings.secret_key_fallbacks,
        COACH=settings.coach,
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
        SESSION_COOKIE_NAME="cardgames",
        SESSION_COOKIE_PATH=settings.url_prefix or "/",
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.jinja_environment = language.SpeakingEnvironment
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": StrictUndefined,  # a name that is not there is a fault, not an empty string
    }
    store = opened(settings.made_data_dir(), settings.session_store)
    app.session_interface = Sessions(app, store, upgrade)
    app.register_blueprint(lobby)
    lab.init(app, settings)
    signing.init(app)
    for capability in (advice, history, replays, deals, tables):
        app.register_blueprint(capability.blueprint)
    app.cli.add_command(check.command)
    app.cli.add_command(commands.sessions)
    log.init(app)
    metrics.init(app, settings)
    guard.init(app, settings)
    answers.init(app)
    language.init(app)
    static.init(app)
    if settings.url_prefix:
        app.wsgi_app = DispatcherMiddleware(  # type: ignore[method-assign]
            NotFound(), {settings.url_prefix: app.wsgi_app}
        )
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops
        )
    return app


def worker(settings: Settings) -> RSGIApplication:
    """Return the site in a worker process, which must not outlive its server."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # told to stop before it serves, it just does
    end_with_the_server()
    return RSGIApplication(create_app(settings), MAY_TAKE_LONG.search)


def end_with_the_server() -> None:
    """Finish this worker when its server is gone, as if the server had told it to.

    Left alone it would keep the port, and serve beside the server that is started next.
    """
    server = multiprocessing.parent_process()

    def wait() -> None:
        if server:
            server.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def serve(settings: Settings, application: Callable[[Settings], RSGIApplication] = worker) -> None:
    """Serve the site until the process is told to stop.

    Args:
        settings: where, and with how many workers; each of them gets the same.
        application: what a worker serves; benchmarks serve another one the same way.
    """
    Granian(
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
    ).serve(target_loader=partial(application, settings), wrap_loader=False)


def _open_files() -> int:
    """Return how many files a worker may have open, after raising it as far as it is of use."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else sys.maxsize
    wanted = max(soft, min(most, MAX_CONNECTIONS + KEPT_FREE))
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def main() -> int:
    """Check what can be checked before the workers start, say where the site is, and serve."""
    try:
        settings = Settings.from_environment()
        check.port_is_free(settings)
        create_app(settings)
    except (BadSetting, StoreUnavailable) as error:
        print(f"Cardgames cannot start. {error}", file=sys.stderr)  # noqa: T201
        return 1
    guard.forget(settings)
    metrics.forget(settings)
    address = f"http://{settings.host}:{settings.port}{settings.url_prefix}/"
    print(f"Cardgames is at {address} (stop with Ctrl+C).", flush=True)  # noqa: T201
    with lab.consuming(settings):
        serve(settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
