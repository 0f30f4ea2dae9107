"""What the tests share: the site on a fresh data directory, a Redis, a browser.

Two more games are registered before anything else, as whoever adds one would do it: so the whole
suite holds of any game and not of five.
"""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser
from werkzeug.routing import Rule
from whitenoise import WhiteNoise

from cardgames import GAMES
from cardgames.registry import registered
from tests.support.games import HighCard, LastingHighCard

for slug, game in registered(HighCard(), LastingHighCard()).items():
    GAMES.setdefault(slug, game)

from app import create_app  # noqa: E402 - the site looks at the games while it is imported
from tests.support.browser import chromium  # noqa: E402
from tests.support.machines import Redis  # noqa: E402
from tests.support.site import DECK  # noqa: E402
from web.http import static_files  # noqa: E402
from web.http.i18n import LocalizedEnvironment  # noqa: E402
from web.settings import Settings  # noqa: E402
from web.storage.sqlite_file import SQLiteFile  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def each_site_is_made_from_what_the_last_one_read() -> Iterator[None]:
    """Every test has a site of its own: what all have in common is compiled and read once."""
    with pytest.MonkeyPatch.context() as patch:
        remember(
            patch,
            (LocalizedEnvironment, "compile"),
            lambda site, *source: (*source, type(site.catalogue), site.globals["language"]),
        )
        compile_addresses_once(patch)
        remember(patch, (static_files, "fingerprint"), lambda *folder: folder)
        remember(
            patch,
            (WhiteNoise, "get_static_file"),
            lambda _, path, url, stat_cache=None: (path, url, bool(stat_cache)),
        )
        yield


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


def compile_addresses_once(patch: pytest.MonkeyPatch) -> None:
    """Let Werkzeug's rules of the same text share what they are compiled to."""
    compiled: dict[tuple[object, ...], dict[str, Any]] = {}
    compile_anew = Rule.compile
    made = ("_parts", "_trace", "_converters", "_build", "_build_unknown", "arguments")

    def compile_once(rule: Rule) -> None:
        name = (rule.rule, rule.subdomain, str(rule.defaults), rule.merge_slashes)
        if name not in compiled:
            compile_anew(rule)
            compiled[name] = {part: getattr(rule, part) for part in made}
        rule.__dict__.update(compiled[name], arguments={*compiled[name]["arguments"]})

    patch.setattr(Rule, "compile", compile_once)


def remember(
    patch: pytest.MonkeyPatch, method: tuple[object, str], key: Callable[..., tuple[object, ...]]
) -> None:
    """Let a method return again what it has returned for arguments with the same key."""
    returned: dict[tuple[object, ...], Any] = {}
    make_anew = getattr(*method)

    def make_once(*given: Any, **named: Any) -> Any:
        name = key(*given, **named)
        if name not in returned:
            returned[name] = make_anew(*given, **named)
        return returned[name]

    patch.setattr(*method, make_once)


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
