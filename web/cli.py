"""``flask --app app sessions …``: count, purge or export the sessions."""

import hashlib
from typing import Any

import click
from flask.cli import AppGroup
from sqlalchemy import func, select

from cardgames import GAMES
from cardgames.table import Table
from web import db, upkeep
from web.backup import one_sentence
from web.http.responses import encoded
from web.models import SavedSession
from web.sessions import Packed
from web.tables.location import TABLE_ROW
from web.tables.rows import UNREADABLE, counts_of, unpack_table

sessions = AppGroup("sessions", help="Count, purge or export the sessions.")


@sessions.command()
def count() -> None:
    """Say how many sessions there are."""
    with one_sentence():
        click.echo(db.session().scalar(select(func.count(SavedSession.id))))


@sessions.command()
def purge() -> None:
    """Delete everything that has ended: sessions with their rounds, deal links, classes.

    The server does so when it starts, and every hour.
    """
    with one_sentence():
        purged = upkeep.purge(db.database())
    click.echo(f"Deleted {purged} that had ended: sessions, deal links, classes.")


@sessions.command()
def export() -> None:
    """Print every session as a line of JSON: each table's step, and what its player sees.

    The cards that the player may not see are left out, and the id is hashed: an export can be
    shown to a class. Finished rounds are exported from each table's history page. A copy to
    restore from is made of the data directory (docs/hosting.md).
    """
    with one_sentence():
        for kept in db.session().scalars(select(SavedSession)):
            line = {
                "session": hashlib.sha256(kept.id.encode()).hexdigest()[:16],
                "moves": kept.moves,
                "tables": _tables(Packed().decode(kept.data)),
            }
            click.echo(encoded(line).decode())


def _tables(session: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a session; what cannot be read is named and left out."""
    found = ((slug, session.get(f"{TABLE_ROW}{slug}")) for slug in GAMES)
    return {slug: _shown(slug, row) for slug, row in found if row}


def _shown(slug: str, row: bytes) -> dict[str, Any]:
    try:
        table, step, _ = unpack_table(row, Table(GAMES[slug]))
    except UNREADABLE:
        return {"step": counts_of(row)[0], "unreadable": True}
    return {"step": step, "view": table.view()}
