"""Fixtures for the tests of the database: a site on SQLite and, in the slow run, on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient

from tests.conftest import BOTH_DATABASES
from tests.support.classroom import Watch
from tests.support.site import SharedSite, new_site
from web import db
from web.settings import Settings


@pytest.fixture(scope="session", params=BOTH_DATABASES)
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedSite]:
    """A site with classes on either database, shared by successive tests."""
    url = ""
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql").new_database()
    folder = tmp_path_factory.mktemp(request.param)
    site = SharedSite(folder, classes="open", database_url=url)
    yield site
    db.database(site.emptied()).engine.dispose()


@pytest.fixture
def new_app(settings: Settings) -> Iterator[flask.Flask]:
    """A site for a single test on either database.

    The site has not responded to any request yet.
    """
    app = new_site(settings.data_dir, database_url=settings.database_url)
    yield app
    db.database(app).engine.dispose()


@pytest.fixture
def app(shared: SharedSite) -> flask.Flask:
    return shared.emptied()


@pytest.fixture
def client(app: flask.Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def in_file(tmp_path: Path) -> flask.Flask:
    """A site with a separate SQLite file, for tests that damage the file."""
    return new_site(tmp_path)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """A clock for the timestamps of the database's rows. A test can move this clock."""
    moved = Watch(monkeypatch)
    monkeypatch.setattr("web.db.Database.now", lambda _: moved.now)
    return moved
