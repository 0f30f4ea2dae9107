"""Fixtures for all tests: the site with a new data directory, a PostgreSQL server, a browser.

Two additional games are registered before all other imports, as if a developer had added them, so
that the tests apply to any game. The fixtures that need the site import it, so tests of the rules
do not load the site.
"""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cardgames import GAMES
from cardgames.registry import registered
from tests.support.games import HighCard, LastingHighCard

if TYPE_CHECKING:
    import flask
    from flask.testing import FlaskClient
    from playwright.sync_api import Browser

    from tests.support.machines import PostgreSQL
    from web.db import Database
    from web.settings import Settings

for slug, game in registered(HighCard(), LastingHighCard()).items():
    GAMES.setdefault(slug, game)

FOLDER = Path(__file__).parent
BOTH_DATABASES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))
ONLY_WITH_SYSTEMD = "systemd is not installed"


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a CI run that skipped a test.

    A test that is skipped because a program is missing would hide its failures.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("CI") or not reporter:
        return
    reasons = {str(report.longrepr) for report in reporter.stats.get("skipped", ())}
    if missing := sorted(reason for reason in reasons if ONLY_WITH_SYSTEMD not in reason):
        reporter.write_line("")
        reporter.write_line("CI must not skip: " + "; ".join(missing), red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session", autouse=True)
def nobody_waits_for_the_disk(request: pytest.FixtureRequest) -> Iterator[None]:
    """Do not flush written data to the disk.

    Flushing protects only against crashes of the machine.
    """
    if all(item.path.is_relative_to(FOLDER / "core") for item in request.session.items):
        yield
        return
    from sqlalchemy import Engine, event  # noqa: PLC0415

    @event.listens_for(Engine, "connect")
    def connected(connection: object, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous=OFF")

    with pytest.MonkeyPatch.context() as patch:
        _record_databases(patch)
        yield
    event.remove(Engine, "connect", connected)


_opened: "list[list[Database]]" = []
"""A stack of lists of open databases. The stack has one list per running fixture or test, the
innermost last.
"""


def _record_databases(patch: pytest.MonkeyPatch) -> None:
    from web.db import Database  # noqa: PLC0415

    prepare = Database.__init__

    def record(self: "Database", url: str) -> None:
        prepare(self, url)
        if _opened:
            _opened[-1].append(self)

    patch.setattr(Database, "__init__", record)


def _close_all(databases: "list[Database]") -> None:
    """Close all connections, because sqlite3 in Python 3.13 warns about open ones."""
    for database in databases:
        database.engine.dispose()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: "pytest.FixtureDef[Any]") -> Iterator[None]:
    """Close a fixture's resources at its teardown."""
    _opened.append(opened := [])
    fixturedef.addfinalizer(lambda: _close_all(opened))
    try:
        return (yield)
    finally:
        _opened.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Close a test's resources at its teardown."""
    _opened.append(opened := [])
    try:
        return (yield)
    finally:
        _opened.pop()
        _close_all(opened)


# The fixture has module scope, because no other event loop can run while a browser runs.
@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    from tests.support.browser import chromium  # noqa: PLC0415

    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def postgresql() -> "Iterator[PostgreSQL]":
    from tests.support.machines import PostgreSQL, postgres_programs  # noqa: PLC0415

    if not postgres_programs():
        pytest.skip("PostgreSQL is not installed here: apt-get install postgresql")
    with PostgreSQL() as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> "flask.Flask":
    from tests.support.site import new_site  # noqa: PLC0415

    return new_site(tmp_path)


@pytest.fixture
def client(app: "flask.Flask") -> "FlaskClient":
    return app.test_client()


@pytest.fixture(params=BOTH_DATABASES)
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> "Settings":
    """Settings for a site on SQLite or PostgreSQL."""
    from web.settings import Settings  # noqa: PLC0415

    if request.param == "sqlite":
        return Settings(data_dir=tmp_path)
    url = request.getfixturevalue("postgresql").new_database()
    return Settings(data_dir=tmp_path, database_url=url)
