"""The way in: ``create_app()`` for a server of your own, ``python app.py`` for ours."""

import sys
from collections.abc import Callable
from typing import Any

import click
import flask
from jinja2 import StrictUndefined
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.middleware.proxy_fix import ProxyFix

from web import classroom, cli, deals, doctor, http, rounds, signing, simulation, site, tables
from web.background import background_process
from web.http import i18n, metrics, security, static_files
from web.http.responses import Response
from web.http.server import serve
from web.settings import BadSetting, Settings
from web.storage import open_store, sessions
from web.storage.protocol import StoreUnavailable


class Site(flask.Flask):
    """The site: its views are plain functions, and Flask need not look for coroutines."""

    response_class = Response

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a view as it is."""
        return func


def create_app(settings: Settings | None = None) -> flask.Flask:
    """Return the site as a WSGI app.

    Args:
        settings: what an instructor can set; the environment's by default.

    Raises:
        BadSetting: a setting makes no sense.
        StoreUnavailable: the sessions cannot be kept where they should be.
    """
    try:
        return _build(settings or Settings.from_environment())
    except (BadSetting, StoreUnavailable) as error:
        if click.get_current_context(silent=True):
            raise click.ClickException(str(error)) from None  # a sentence, no traceback
        raise


def _build(settings: Settings) -> flask.Flask:
    app = Site("cardgames", root_path=str(static_files.FOLDER.parent), static_folder=None)
    app.config.update(
        SECRET_KEY=settings.signing_key(),
        SECRET_KEY_FALLBACKS=settings.secret_key_fallbacks,
        COACH=settings.coach,
    )
    app.jinja_environment = i18n.LocalizedEnvironment
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": StrictUndefined,  # a name that is not there is a fault, not an empty string
    }
    store = open_store(settings.ensure_data_dir(), settings.session_store)
    sessions.register(app, settings, store, tables.upgrade_session)
    for capability in (
        *(signing, site, simulation, tables, rounds, deals, classroom),
        *(cli, http),
    ):
        capability.register(app, settings)
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


def main() -> int:
    """Check what can be checked before the workers start, say where the site is, and serve."""
    try:
        settings = Settings.from_environment()
        doctor.require_free_port(settings)
        create_app(settings)
    except (BadSetting, StoreUnavailable) as error:
        print(f"Cardgames cannot start. {error}", file=sys.stderr)  # noqa: T201
        return 1
    security.reset(settings)
    metrics.reset(settings)
    address = f"http://{settings.host}:{settings.port}{settings.url_prefix}/"
    print(f"Cardgames is at {address} (stop with Ctrl+C).", flush=True)  # noqa: T201
    with background_process(settings, simulation.make_player):
        serve(settings, create_app, classroom.early)
    return 0


if __name__ == "__main__":
    sys.exit(main())
