"""The app factory, and the command line: ``python app.py``, or ``cardgames`` if installed."""

import os

import click
import flask
from flask.cli import ScriptInfo

from cardgames import __version__
from web import classroom, db, hooks, http, reach, schema, signing, site
from web.commands import backup, check, instructor_link, serve
from web.data_dir import data_dir, signing_key, url_in
from web.deals import daily
from web.deals import views as deals
from web.deals.models import DEALS_SHARE
from web.friends import views as friends
from web.history import replays
from web.history import views as history
from web.http import sessions
from web.http.responses import App
from web.lab import views as lab
from web.puzzles import rules as puzzle_rules
from web.puzzles import views as puzzles
from web.settings import ROOT, BadSetting, Settings
from web.sheets import views as sheets
from web.tables import advice, by_hand, counting, guessing
from web.tables import views as tables


def create_app(settings: Settings | None = None) -> flask.Flask:
    """Return the site as a WSGI app.

    Args:
        settings: The settings, or None to read them from the environment variables.

    Raises:
        BadSetting: If a setting is invalid.
        Unavailable: If the database cannot be used.
    """
    try:
        return _build(settings or Settings.from_environment())
    except (BadSetting, db.Unavailable) as error:
        if click.get_current_context(silent=True):
            # The message is shown without a traceback.
            raise click.ClickException(str(error)) from None
        raise


def _build(settings: Settings) -> flask.Flask:
    app = App("cardgames", root_path=str(ROOT), static_folder=None)
    app.config.update(
        SECRET_KEY=signing_key(settings),
        DEALS_LIMIT=settings.store_limit // DEALS_SHARE,
    )
    folder = data_dir(settings)
    db.init_app(app, settings.database_url or url_in(folder))
    schema.upgrade(db.database(app))
    sessions.register(app, settings)
    signing.register(app)
    app.register_blueprint(site.blueprint)
    app.register_blueprint(tables.blueprint)
    app.register_blueprint(advice.blueprint)
    app.register_blueprint(by_hand.blueprint)
    app.register_blueprint(counting.blueprint)
    app.register_blueprint(guessing.blueprint)
    app.register_blueprint(history.blueprint)
    app.register_blueprint(replays.blueprint)
    app.register_blueprint(deals.blueprint)
    app.register_blueprint(daily.blueprint)
    app.register_blueprint(friends.blueprint)
    app.register_blueprint(puzzles.blueprint)
    app.register_blueprint(lab.blueprint)
    # This reads the list of puzzles at the start, so that no request has to wait for it.
    puzzle_rules.first_puzzle()
    reach.register(app, settings)
    classroom.register(app, settings)
    hooks.register(app)
    # Each of these functions wraps the app, so a request passes through the last one first.
    http.register(app, settings)
    sheets.register(app, settings)
    return app


@click.group(invoke_without_command=True)
@click.option("--host", help="Where to listen; 0.0.0.0 lets phones of the class reach it.")
@click.option("--port", help="The port to listen on (8000).")
@click.option("--data", help="The folder of the database and the key (./instance).")
@click.version_option(__version__, message="Cardgames %(version)s")
@click.pass_context
def command(context: click.Context, host: str | None, port: str | None, data: str | None) -> None:
    """Serve card games for a class.

    Other settings are environment variables (docs/hosting.md).
    """
    for name, value in (("HOST", host), ("PORT", port), ("DATA_DIR", data)):
        if value is not None:
            os.environ[name] = value
    context.obj = ScriptInfo(create_app=create_app)
    if context.invoked_subcommand is None:
        context.exit(serve.run(create_app))


for subcommand in (instructor_link.command, check.command, backup.backup, backup.restore):
    command.add_command(subcommand)


if __name__ == "__main__":
    command()
