"""The old store's interface over the new database, for capabilities that are not ported yet.

It takes part in the transaction of the request, so nothing that is decided with it is ever refused.
It goes with the last of them: deals, puzzles' books, tournaments, votes, insight, charts, lab runs.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import flask
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.orm import Session

from web import db
from web.models import Place
from web.models import Row as Kept
from web.storage.store import Put, Read, Row, Seen, Store

ROWS, PLACES = Kept.__table__, Place.__table__
_AFTER_ALL = "\U0010ffff"


class RowStore(Store):
    """Rows in places, in the database's tables ``row`` and ``place``."""

    def __init__(self, database: db.Database) -> None:
        self.database = database

    @contextmanager
    def _session(self, *, writes: bool = False) -> Iterator[Session]:
        try:
            if flask.has_request_context() and db.database().engine is self.database.engine:
                if writes:
                    with db.writing() as session:
                        yield session
                else:
                    yield db.session()
            else:
                with self.database.session(writes=writes) as session, session.begin():
                    yield session
        finally:
            pass

    def _rows(self, place: str, condition: object) -> Read:
        now = db.now()
        query = (
            select(ROWS.c.key, ROWS.c.revision, ROWS.c.data)
            .join(PLACES, PLACES.c.name == ROWS.c.place)
            .where(ROWS.c.place == place, PLACES.c.expires > now, condition)
            .order_by(ROWS.c.key)
        )
        with self._session() as session:
            found = session.connection().execute(query)
            rows = sorted((key, Row(revision, bytes(data))) for key, revision, data in found)
            return Read(now, dict(rows))

    def read(self, place: str, *keys: str) -> Read:
        return self._rows(place, ROWS.c.key.in_(keys))

    def scan(self, place: str, prefix: str = "") -> Read:
        return self._rows(
            place, ROWS.c.key.startswith(prefix, autoescape=True) if prefix else text("1=1")
        )

    def _write(
        self, place: str, put: Put, seen: Seen, expires: int, ends: int, before: float
    ) -> bool:
        with self._session(writes=True) as session:
            connection, now = session.connection(), db.now()
            query = select(PLACES.c.expires).where(PLACES.c.name == place).with_for_update()
            known = connection.execute(query).scalar() or 0
            if now > before or max(known, expires) <= now:
                return False
            if known and known <= now:
                self._drop(session, place)
                known = 0
            keys = [*{*put, *seen}]
            query = select(ROWS.c.key, ROWS.c.revision)
            query = query.where(ROWS.c.place == place, ROWS.c.key.in_(keys))
            found = {key: revision for key, revision in connection.execute(query)}
            if any(found.get(key, 0) != revision for key, revision in seen.items()):
                return False
            if not known:
                connection.execute(insert(PLACES).values(name=place, expires=ends or expires))
            elif until := ends or (expires if expires > known else 0):
                connection.execute(
                    update(PLACES).where(PLACES.c.name == place).values(expires=until)
                )
            for key, data in put.items():
                here = (ROWS.c.place == place) & (ROWS.c.key == key)
                if data is None:
                    connection.execute(delete(ROWS).where(here))
                elif key in found:
                    connection.execute(update(ROWS).where(here).values(revision=_new(), data=data))
                else:
                    connection.execute(
                        insert(ROWS).values(place=place, key=key, revision=_new(), data=data)
                    )
            if None in put.values() or not put:
                left = connection.execute(
                    select(func.count()).select_from(ROWS).where(ROWS.c.place == place)
                )
                if not left.scalar():
                    connection.execute(delete(PLACES).where(PLACES.c.name == place))
            return True

    def _drop(self, session: Session, place: str) -> None:
        session.execute(delete(ROWS).where(ROWS.c.place == place))
        session.execute(delete(PLACES).where(PLACES.c.name == place))

    def forget(self, place: str) -> None:
        with self._session(writes=True) as session:
            self._drop(session, place)

    def places(self, prefix: str = "") -> Iterator[str]:
        query = select(PLACES.c.name).where(
            PLACES.c.name.startswith(prefix, autoescape=True), PLACES.c.expires > db.now()
        )
        with self._session() as session:
            yield from session.connection().execute(query).scalars().all()

    def size(self) -> int:
        return 0

    def check_read(self) -> None:
        self.read("probe", "")

    def check_write(self) -> None:
        self.write("probe", {"": b""}, {}, expires=int(db.now()) + 1)


def _new() -> int:
    return random.getrandbits(48) + 1


def store() -> Store:
    """Return the rows of the app that is answering."""
    found: Store = flask.current_app.extensions["rows"]
    return found
