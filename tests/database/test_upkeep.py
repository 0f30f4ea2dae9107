"""Two keys on one database would lose games without a word: the site says so."""

import logging
from dataclasses import replace

import flask
import pytest

from app import create_app
from tests.support.classroom import Watch
from web import db
from web.commands import check, upkeep
from web.http.sessions import DAY, USUAL
from web.settings import Settings

ONE, TWO = "the first key and long enough to be one", "the second key and as long as the first"


def machine(settings: Settings, key: str, *older: str) -> flask.Flask:
    """Return one of the machines that share a database, after its start."""
    app = create_app(replace(settings, secret_key=key, secret_key_fallbacks=older))
    upkeep.look_after(app)
    db.database(app).engine.dispose()
    return app


def test_another_key_is_said_at_the_start(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    for keys, said in (
        ((ONE,), []),
        ((ONE,), []),
        ((TWO,), [upkeep.OTHER_KEY]),
        ((TWO, ONE), []),
        ((ONE,), [upkeep.OTHER_KEY]),
    ):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            machine(settings, *keys)
        assert caplog.messages == said


def test_make_check_says_that_there_is_another_key(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(settings, ONE)
    monkeypatch.setenv("DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("DATABASE_URL", settings.database_url)
    monkeypatch.setenv("SECRET_KEY", ONE)
    assert upkeep.OTHER_KEY not in [found.sentence for found in check.findings()]
    monkeypatch.setenv("SECRET_KEY", TWO)
    assert check.Finding("WRONG", upkeep.OTHER_KEY) in [*check.findings()]
    monkeypatch.setenv("SECRET_KEY_FALLBACKS", ONE)
    assert upkeep.OTHER_KEY not in [found.sentence for found in check.findings()]


def test_a_key_that_has_signed_no_living_cookie_is_not_minded(
    settings: Settings, watch: Watch
) -> None:
    app = machine(settings, ONE)
    assert upkeep.other_key(db.database(app), TWO)
    watch.now += USUAL * DAY + 1
    assert not upkeep.other_key(db.database(app), TWO)
    db.database(app).engine.dispose()
