"""Upkeep of the database, at start and every hour: what has ended goes, the signing key is noted.

The command ``purge`` deletes what has ended at once.

Two machines with different keys would take each other's cookies for forged: a player served by one
and then by the other would lose their games without a word. So the database remembers which keys
have signed cookies in the last two weeks.
"""

import logging
import threading
from typing import Any, Final

import click
import flask
from flask.cli import with_appcontext
from sqlalchemy import String, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from web import db
from web.commands import one_sentence
from web.db import FAULTS, Database
from web.db.models import Base
from web.http.sessions import DAY, USUAL
from web.signing import fingerprint

EVERY: Final = 3_600
"""Number of seconds between two times."""

OTHER_KEY: Final = (
    "Cookies for this database were signed with another key in the last two weeks, by another "
    "machine or before SECRET_KEY was changed: players who have one lose their games here. Set the "
    "same SECRET_KEY on all machines, and the one before as SECRET_KEY_FALLBACKS."
)

_BATCH: Final = 50  # maximum number that is deleted at a time: no player waits for it for long

log = logging.getLogger("cardgames.upkeep")


class SigningKey(Base):
    """A key that has signed cookies, by what it can be known again and not found."""

    __tablename__ = "signing_keys"

    fingerprint: Mapped[str] = mapped_column(String(16), primary_key=True)
    used: Mapped[int]
    """When it was last in use, in seconds since 1970."""


@click.command("purge")
@with_appcontext
def command() -> None:
    """Delete everything that has ended: sessions with their rounds, deal links, classes.

    The server does so when it starts, and every hour.
    """
    with one_sentence():
        purged = purge(db.database())
    click.echo(f"Deleted {purged} that had ended: sessions, deal links, classes.")


def purge(database: Database) -> int:
    """Delete all that has ended, and return how many sessions, deals, classes and links that were.

    Raises:
        Unavailable: the database does not answer.
    """
    ending = [table for table in Base.metadata.sorted_tables if "expires" in table.c]
    return sum(_purge_table(database, table) for table in ending)


def _purge_table(database: Database, table: Any) -> int:
    (key,) = table.primary_key
    ended = select(key).where(table.c.expires <= database.now()).limit(_BATCH)
    deleted = 0
    while True:
        with database.engine.begin() as connection:
            batch = connection.execute(delete(table).where(key.in_(ended))).rowcount
        if not batch:
            return deleted
        deleted += batch


def note_key(database: Database, key: str) -> None:
    """Note that a key is in use."""
    with Session(database.engine) as session, session.begin():
        session.merge(SigningKey(fingerprint=fingerprint(key), used=int(database.now())))


def other_key(database: Database, *believed: str) -> str:
    """Return a sentence if another key is in use than those that are believed; else nothing."""
    since = database.now() - USUAL * DAY
    with database.session(writes=False) as session:
        used = session.scalars(select(SigningKey.fingerprint).where(SigningKey.used >= since)).all()
    return OTHER_KEY if {*used} - {*map(fingerprint, believed)} else ""


def look_after(app: flask.Flask) -> None:
    """Do once what is to be done every hour. What fails is logged, and tried again next time."""
    database, config = db.database(app), app.config
    keys = (config["SECRET_KEY"], *config["SECRET_KEY_FALLBACKS"])
    try:
        note_key(database, keys[0])
        if warning := other_key(database, *keys):
            log.warning("%s", warning)
        purge(database)
    except FAULTS as error:
        log.error("database: %s", error)  # noqa: TRY400 - a full disk needs no traceback


def look_after_hourly(app: flask.Flask) -> None:
    """Start a thread that looks after an app's database every hour, until the process ends."""

    def run() -> None:
        pause = threading.Event()
        while not pause.wait(EVERY):
            look_after(app)

    threading.Thread(target=run, name="upkeep", daemon=True).start()
