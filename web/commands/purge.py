"""``purge``: what has ended is deleted now, and not within the hour."""

import click
from flask.cli import with_appcontext

from web import db
from web.commands import one_sentence, upkeep


@click.command("purge")
@with_appcontext
def command() -> None:
    """Delete everything that has ended: sessions with their rounds, deal links, classes.

    The server does so when it starts, and every hour.
    """
    with one_sentence():
        purged = upkeep.purge(db.database())
    click.echo(f"Deleted {purged} that had ended: sessions, deal links, classes.")
