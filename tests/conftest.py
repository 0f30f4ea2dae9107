"""What the tests share: the site on a fresh data directory, a browser, a Redis, the deck files.

Two more games are registered before anything else, as whoever adds one would do it: so the whole
suite holds of any game and not of five.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, sync_playwright

from cardgames import GAMES
from cardgames.registry import registered
from tests.support.games import HighCard, LastingHighCard

for slug, game in registered(HighCard(), LastingHighCard()).items():
    GAMES.setdefault(slug, game)

from app import create_app  # noqa: E402 - the site looks at the games while it is imported
from tests.support.machines import Redis  # noqa: E402
from web.settings import Settings  # noqa: E402

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
DECKS = Path(__file__).parent / "decks"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.fail("Chromium is missing: `make test` installs it.")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield running
        running.close()


@pytest.fixture(scope="module")
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
    return (DECKS / "shuffledDeck.txt").read_text()
