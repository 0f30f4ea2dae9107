"""The tables and their migrations: the migrations create exactly the tables of the models."""

import sqlite3
from contextlib import closing
from pathlib import Path

import flask
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from flask.testing import FlaskClient
from sqlalchemy import LargeBinary, String, text

from app import create_app
from tests.support.classroom import open_room
from tests.support.site import TABLE, cookie, look, play
from web import db, schema
from web.db.models import Base
from web.settings import Settings


def test_migrations_produce_the_models(new_app: flask.Flask) -> None:
    """``alembic check`` fails if a model has a column that the migrations lack."""
    with db.database(new_app).engine.begin() as connection:
        command.check(schema.config_for(connection))


def test_development_database_with_the_same_tables_is_upgraded(app: flask.Flask) -> None:
    room = open_room(app, 3)
    before = room.desk()
    with db.database(app).engine.begin() as connection:
        for table in schema.NEWER_TABLES:
            connection.execute(text(f"DROP TABLE {table}"))
        for table, column in schema.NEWER_COLUMNS:
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {column}"))
    _set_version(app, schema.DEVELOPMENT)
    schema.upgrade(db.database(app))
    assert _version(app) == schema.head_revision()
    assert room.desk() == before


def test_development_database_with_other_tables_is_left(app: flask.Flask) -> None:
    with db.database(app).engine.begin() as connection:
        connection.execute(text("ALTER TABLE rounds ADD COLUMN costs JSON"))
    _set_version(app, schema.DEVELOPMENT)
    with pytest.raises(db.Unavailable, match="another version of the site"):
        schema.upgrade(db.database(app))
    assert _version(app) == schema.DEVELOPMENT


def _set_version(app: flask.Flask, version: str) -> None:
    with db.database(app).engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": version})


def _version(app: flask.Flask) -> str | None:
    with db.database(app).engine.begin() as connection:
        return connection.scalar(text("SELECT version_num FROM alembic_version"))


def test_the_numbers_of_the_scripts_are_a_line() -> None:
    with closing(sqlite3.connect(":memory:")) as _:
        script = ScriptDirectory(str(schema.MIGRATIONS))
    assert script.get_heads() == [schema.head_revision()]
    assert len(script.get_bases()) == 1


def test_restart_changes_nothing(settings: Settings) -> None:
    apps = [create_app(settings) for _ in range(2)]
    client = apps[0].test_client()
    play(client, TABLE, "deal")
    again = create_app(settings)
    other = again.test_client()
    other.set_cookie("cardgames", cookie(client))
    assert look(other)["step"] == 1
    for app in (*apps, again):
        db.database(app).engine.dispose()


def test_database_of_a_newer_version_is_left_as_it_is(
    new_app: flask.Flask, settings: Settings
) -> None:
    _set_version(new_app, "9999")
    with pytest.raises(db.Unavailable, match="another version of the site"):
        create_app(settings)
    assert _version(new_app) == "9999"


def test_the_store_of_an_older_version_is_left_and_said(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"kept")
    create_app(Settings(data_dir=tmp_path))
    assert (tmp_path / "store.db").read_bytes() == b"kept"
    assert str(tmp_path / "store.db") in schema.old_store(tmp_path)
    assert schema.old_store(tmp_path / "nowhere") == ""


def test_every_text_from_visitors_has_a_length() -> None:
    """PostgreSQL rejects longer values, so only records and lists have no maximum length."""
    free = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, String) and not column.type.length
    }
    records = {"rounds.record", "student_mistakes.record", "tournament_plays.moves"}
    assert free == records, "bounded where they are made"


def test_no_blob_is_kept_but_of_a_session() -> None:
    blobs = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, LargeBinary)
    }
    # random bytes (a salt, the ID of a table) and packed values (a session, a table in progress)
    assert blobs == {"sessions.data", "deals.salt", "tournaments.salt", "rounds.table_id"}


def test_forgetting_a_player_takes_their_rounds(client: FlaskClient, app: flask.Flask) -> None:
    play(client, TABLE, "deal", "stay")
    with db.database(app).engine.begin() as connection:
        assert connection.scalar(text("SELECT count(*) FROM rounds"))
        connection.execute(text("DELETE FROM sessions"))
        assert connection.scalar(text("SELECT count(*) FROM rounds")) == 0
