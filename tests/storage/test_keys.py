"""Two keys on one store would lose games without a word: the store tells."""

import logging
import time
from dataclasses import replace
from pathlib import Path

import flask
import pytest
from web.storage.signing_keys import OTHER_KEY

from app import create_app
from web import doctor
from web.settings import Settings
from web.storage import signing_keys, sqlite
from web.storage.store import LIFETIME

TABLE = "/simple-21"
ONE, TWO = "the first key and long enough to be one", "the second key and as long as the first"


def machine(settings: Settings, key: str, *older: str) -> flask.Flask:
    """Return one of the machines that share a store."""
    return create_app(replace(settings, secret_key=key, secret_key_fallbacks=older))


def serve(app: flask.Flask) -> None:
    answer = app.test_client().post(TABLE, data={"move": "new", "step": "0"})
    assert answer.status_code == 303


def warnings(app: flask.Flask, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what an app says when it is started."""
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        app.session_interface.keys.warn()  # type: ignore[attr-defined]
    return caplog.messages


def test_another_key_is_told_of_at_the_start(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    first = machine(settings, ONE)
    assert warnings(first, caplog) == []
    serve(first)
    assert warnings(first, caplog) == []
    assert warnings(machine(settings, TWO), caplog) == [OTHER_KEY]
    assert warnings(machine(settings, TWO, ONE), caplog) == []
    assert warnings(machine(settings, ONE), caplog) == []


def test_another_key_is_told_of_while_both_machines_serve(
    settings: Settings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing_keys, "_EVERY", 0.0)
    first, second = machine(settings, ONE), machine(settings, TWO)
    serve(first)
    assert OTHER_KEY not in caplog.messages
    serve(second)
    assert caplog.messages.count(OTHER_KEY) == 1
    serve(first)
    assert caplog.messages.count(OTHER_KEY) == 2


def test_make_check_tells_of_another_key(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(machine(settings, ONE))
    monkeypatch.setenv("DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("SESSION_STORE", settings.session_store)
    monkeypatch.setenv("SECRET_KEY", ONE)
    assert OTHER_KEY not in [found.sentence for found in doctor.findings()]
    monkeypatch.setenv("SECRET_KEY", TWO)
    assert doctor.Finding("WRONG", OTHER_KEY) in [*doctor.findings()]
    monkeypatch.setenv("SECRET_KEY_FALLBACKS", ONE)
    assert OTHER_KEY not in [found.sentence for found in doctor.findings()]


def test_a_key_that_nobody_can_have_a_cookie_of_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = machine(Settings(data_dir=tmp_path), ONE)
    serve(app)
    keys = app.session_interface.keys  # type: ignore[attr-defined]
    assert len(keys._in_use()) == 1
    now = time.time()
    monkeypatch.setattr(sqlite.time, "time", lambda: now + LIFETIME + 1)
    assert keys._in_use() == set()
