"""The server: what can be checked is checked before the workers start, then the site is served."""

import errno
import socket
import sys
from collections.abc import Callable

import click
import flask

from web import db, schema
from web.classroom.opening import make_links
from web.commands import instructor_link, upkeep
from web.commands.server import serve
from web.http import i18n, security
from web.reach import is_loopback, server_addresses
from web.settings import BadSetting, Settings


def run(create_app: Callable[[Settings], flask.Flask]) -> int:
    """Serve the site until the process is stopped; return the exit code.

    Args:
        create_app: makes the site, here and in each worker.
    """
    try:
        settings = Settings.from_environment()
        require_free_port(settings)
        app = create_app(settings)
        upkeep.look_after(app)
        i18n.compile_templates(app)
        # Not into a log: there a link would be a key for its readers.
        is_shown = sys.stdout.isatty() and settings.classes != "off"
        with app.app_context():
            links, minutes = make_links(settings) if is_shown else ([], 0)
        # The workers are forked from here, and SQLite's locks do not survive that.
        db.database_of(app).engine.dispose()
    except (BadSetting, db.Unavailable) as error:
        click.echo(f"Cardgames cannot start. {error}", err=True)
        return 1
    for sentence in (*Settings.misspelt(), *filter(None, [schema.old_store(settings.data_dir)])):
        click.echo(sentence, err=True)
    security.reset(settings)
    click.echo(greeting(settings, has_links=bool(links)))
    if links:
        instructor_link.show(links, minutes, is_local=is_loopback(settings.host))
    serve(settings, create_app)
    return 0


def greeting(settings: Settings, *, has_links: bool = False) -> str:
    """Say where phones and this machine find the site, and how classes are opened."""
    addresses = (f"{base}{settings.url_prefix}/" for base in server_addresses(settings))
    where = f"Cardgames is at {' and '.join(addresses)} (stop with Ctrl+C)."
    if has_links:
        return f"{where}\nTo open classes, in your browser:"
    if settings.classes == "off":
        return where
    return f"{where}\nTo open classes: make instructor-link, in a second terminal."


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
