"""What the tests share: the site on a fresh data directory, a Redis, a browser.

Two more games are registered before anything else, as whoever adds one would do it: so the whole
suite holds of any game and not of five.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser

from cardgames import GAMES
from cardgames.registry import registered
from tests.support.games import HighCard, LastingHighCard

for slug, game in registered(HighCard(), LastingHighCard()).items():
    GAMES.setdefault(slug, game)

from app import create_app  # noqa: E402 - the site looks at the games while it is imported
from tests.support.browser import chromium  # noqa: E402
from tests.support.machines import Redis  # noqa: E402
from tests.support.site import DECK  # noqa: E402
from web.settings import Settings  # noqa: E402
from web.storage.sqlite_file import SQLiteFile  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def nobody_waits_for_the_disk() -> Iterator[None]:
    """What is written outlives any process, and that is all a test asks: no machine crashes."""
    connect = SQLiteFile.connect

    def connected(file: SQLiteFile) -> sqlite3.Connection:
        connection = connect(file)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SQLiteFile, "connect", connected)
        yield


@pytest.fixture(scope="module")  # no longer: while it runs, nothing else has an event loop
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    with Redis(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> flask.Flask:
    return create_app(Settings(data_dir=tmp_path))


@pytest.fixture
def client(app: flask.Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def shuffled_deck() -> str:
    """The sheet's shuffledDeck.txt."""
    return DECK
