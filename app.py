"""The way in: ``create_app()`` for a server of your own, ``python app.py`` for ours."""

import sys

import click
import flask

from web import classroom, cli, deals, http, rounds, sheets, signing, simulation, site, tables
from web.background import background_process
from web.doctor import require_free_port
from web.http import i18n, metrics, security, static_files
from web.http.server import serve
from web.running import announced
from web.settings import BadSetting, Settings
from web.sheets import try_views as own_classes
from web.storage import open_store, sessions
from web.storage.store import Store, StoreUnavailable


def create_app(settings: Settings | None = None, store: Store | None = None) -> flask.Flask:
    """Return the site as a WSGI app.

    Args:
        settings: what an instructor can set; the environment's by default.
        store: where everything is kept; by default, where the settings say.

    Raises:
        BadSetting: a setting makes no sense.
        StoreUnavailable: the sessions cannot be kept where they should be.
    """
    try:
        return _build(settings or Settings.from_environment(), store)
    except (BadSetting, StoreUnavailable) as error:
        if click.get_current_context(silent=True):
            raise click.ClickException(str(error)) from None  # a sentence, no traceback
        raise


def _build(settings: Settings, store: Store | None) -> flask.Flask:
    app = flask.Flask("cardgames", root_path=str(static_files.FOLDER.parent), static_folder=None)
    app.config.update(
        SECRET_KEY=settings.signing_key(),
        SECRET_KEY_FALLBACKS=settings.secret_key_fallbacks,
        COACH=settings.coach,
    )
    folder = settings.ensure_data_dir()
    store = store or open_store(folder, settings.session_store, settings.store_limit)
    sessions.register(app, settings, store)
    for capability in (
        *(signing, site, sheets, simulation, tables, rounds, deals, classroom),
        *(cli, http, own_classes),
    ):
        capability.register(app, settings)
    return app


def main() -> int:
    """Check what can be checked before the workers start, say where the site is, and serve."""
    try:
        settings = Settings.from_environment()
        require_free_port(settings)
        app = create_app(settings)
        i18n.compile_templates()
        checked = sessions.sessions_of(app)
        checked.keys.warn()
        checked.store.close()  # the workers are forked from here: SQLite's locks do not survive it
    except (BadSetting, StoreUnavailable) as error:
        print(f"Cardgames cannot start. {error}", file=sys.stderr)  # noqa: T201
        return 1
    for sentence in Settings.misspelt():
        print(sentence, file=sys.stderr)  # noqa: T201
    security.reset(settings)
    metrics.reset(settings)
    address = f"http://{settings.host}:{settings.port}{settings.url_prefix}/"
    print(f"Cardgames is at {address} (stop with Ctrl+C).", flush=True)  # noqa: T201
    with (
        announced(settings),
        background_process(settings, simulation.make_player, *classroom.MAKE_TASKS),
    ):
        serve(settings, create_app)
    return 0


if __name__ == "__main__":
    sys.exit(main())
