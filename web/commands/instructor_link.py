"""The command ``instructor-link``, which creates single-use links for instructors."""

import sys
from collections.abc import Sequence

import click
import segno
from flask.cli import ScriptInfo

from web import db
from web.classroom.core.access import find_numbers
from web.classroom.core.codes import normalize_code
from web.classroom.desk.opening import make_links
from web.commands import as_click_error
from web.commands.running import running_settings
from web.db import FILE
from web.reach import is_loopback, server_addresses, unknown_address
from web.settings import BadSetting, Settings


@click.command("instructor-link")
@click.option("--class", "code", default="", help="Give the dashboard of this class instead.")
@click.pass_context
def command(context: click.Context, code: str) -> None:
    """Print a single-use link for each address of this machine that a phone can reach.

    The command is run with the server's environment variables, but the server need not be running.
    """
    with as_click_error():
        settings = _running_settings()
        app = context.ensure_object(ScriptInfo).load_app()
        with db.database(app), app.app_context():
            tidy = normalize_code(code)
            if tidy and (find_numbers(tidy) is None):
                raise click.ClickException(f"No class has the code {tidy}.")
            links, minutes = make_links(settings, tidy)
        show(links, minutes, is_local=is_local(settings))
        if unknown := unknown_address(settings):
            click.echo(unknown, err=True)


def is_local(settings: Settings) -> bool:
    """Return whether only this machine can reach the server."""
    return all(is_loopback(url.partition("://")[2]) for url in server_addresses(settings))


def show(links: Sequence[str], minutes: int, *, is_local: bool) -> None:
    """Print single-use links, and in a terminal also the QR code of the first link.

    Args:
        links: One link for each address of the server.
        minutes: Lifetime of the links, in minutes.
        is_local: Whether the links can be opened only on this machine.
    """
    for link in links:
        click.echo(link)
    if sys.stdout.isatty() and not is_local:
        segno.make(links[0], micro=False).terminal(compact=True)
    click.echo(f"Each is good once, for {minutes} minutes.", err=True)
    if is_local:
        click.echo(
            "The server listens on this machine alone: phones cannot reach it. Start it with "
            "HOST=0.0.0.0 for a class.",
            err=True,
        )


def _running_settings() -> Settings:
    """Return the settings, with the addresses of the server if it is running.

    Raises:
        BadSetting: If classes are disabled, or there is no database.
    """
    settings = Settings.from_environment()
    if settings.classes == "off":
        raise BadSetting("CLASSES is off: this site gives no links.")
    if not settings.database_url and not (settings.data_dir / FILE).is_file():
        raise BadSetting(
            f"No server has saved anything in {settings.data_dir}: start it, or set DATA_DIR (or "
            "--data) to the folder of the one that is running."
        )
    return running_settings(settings) or settings
