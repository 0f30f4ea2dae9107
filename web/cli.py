"""``flask --app app sessions …``: count, purge or export the sessions."""

import hashlib
from typing import Any

import click
import msgspec
from flask.cli import AppGroup

from cardgames import GAMES
from cardgames.table import Table
from web.backup import one_sentence
from web.http.responses import encoded
from web.storage.session_rows import Kept, find_session, session_ids
from web.storage.sessions import store
from web.tables.location import TABLE_ROW
from web.tables.rows import UNREADABLE, counts_of, unpack_table

sessions = AppGroup("sessions", help="Count, purge or export the sessions.")


@sessions.command()
def count() -> None:
    """Say how many sessions there are."""
    with one_sentence():
        click.echo(sum(1 for _ in session_ids(store())))


@sessions.command()
def purge() -> None:
    """Delete everything that has expired: sessions with their rounds, deals with their results.

    Redis does so by itself.
    """
    purged = 0
    with one_sentence():
        while batch := store().purge():
            purged += batch
    click.echo(f"Deleted {purged} that had expired: sessions, deal links, classes.")


@sessions.command()
def export() -> None:
    """Print every session as a line of JSON: each table's step, and what its player sees.

    The cards that the player may not see are left out, and the id is hashed: an export can be
    shown to a class. Finished rounds are exported from each table's history page. A copy to
    restore from is made of the data directory (docs/hosting.md).
    """
    with one_sentence():
        for sid in session_ids(store()):
            if kept := find_session(store(), sid):
                line = {
                    "session": hashlib.sha256(sid.encode()).hexdigest()[:16],
                    "moves": kept.saves,
                    "tables": _tables(kept),
                }
                click.echo(encoded(line).decode())


def _tables(kept: Kept) -> dict[str, Any]:
    """Return the tables of a session; what cannot be read is named and left out."""
    found = ((slug, kept.rows.get(f"{TABLE_ROW}{slug}")) for slug in GAMES)
    return {slug: _shown(slug, row) for slug, row in found if row}


def _shown(slug: str, row: msgspec.Raw) -> dict[str, Any]:
    try:
        table, step, _ = unpack_table(row, Table(GAMES[slug]))
    except UNREADABLE:
        return {"step": counts_of(row)[0], "unreadable": True}
    return {"step": step, "view": table.view()}
