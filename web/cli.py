"""``flask --app app sessions …``: count them, purge the expired ones, export what players see."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
import flask
import msgspec
from flask.cli import AppGroup

from cardgames import GAMES
from cardgames.table import Table
from web.http.responses import encoded
from web.settings import Settings
from web.storage.protocol import StoreUnavailable, VersionedBlob
from web.storage.sessions import store, unpacked
from web.tables.location import TABLE_ROW
from web.tables.old_sessions import upgrade
from web.tables.rows import UNREADABLE, counts_of, unpack_table

sessions = AppGroup("sessions", help="Count, purge or export the sessions.")


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give an app its commands."""
    app.cli.add_command(sessions)


@sessions.command()
def count() -> None:
    """Say how many sessions there are."""
    with _faults_in_words():
        click.echo(store().count())


@sessions.command()
def purge() -> None:
    """Delete every session and deal that has expired, with its rounds and results.

    Redis does so by itself.
    """
    purged = 0
    with _faults_in_words():
        while bite := store().purge():
            purged += bite
    click.echo(purged)


@sessions.command()
def export() -> None:
    """Print every session as a line of JSON: each table's step, and what its player sees.

    The cards that the player may not see are left out, and the id is hashed: an export can be
    shown to a class. Finished rounds are exported from each table's history page. A copy to
    restore from is made of the data directory (docs/hosting.md).
    """
    with _faults_in_words():
        for sid, saved in store().iter_sessions():
            line = {
                "session": hashlib.sha256(sid.encode()).hexdigest()[:16],
                "moves": saved.version,
                "tables": _tables(saved),
            }
            click.echo(encoded(line).decode())


@contextmanager
def _faults_in_words() -> Iterator[None]:
    try:
        yield
    except StoreUnavailable as error:
        raise click.ClickException(str(error)) from None


def _tables(saved: VersionedBlob) -> dict[str, Any]:
    """Return the tables of a session; what cannot be read is named and left out."""
    try:
        rows = upgrade(msgspec.msgpack.decode(unpacked(saved.data), type=dict[str, msgspec.Raw]))
    except msgspec.MsgspecError:
        return {}
    found = ((slug, rows.get(f"{TABLE_ROW}{slug}")) for slug in GAMES)
    return {slug: _shown(slug, row) for slug, row in found if row}


def _shown(slug: str, row: msgspec.Raw) -> dict[str, Any]:
    try:
        table, step, _ = unpack_table(row, Table(GAMES[slug]))
    except UNREADABLE:
        return {"step": counts_of(row)[0], "unreadable": True}
    return {"step": step, "view": table.view()}
