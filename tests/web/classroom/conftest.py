"""A class for each test."""

from pathlib import Path

import flask
import pytest

from tests.support.classroom import Room, Watch, open_room, site


@pytest.fixture
def school(tmp_path: Path) -> flask.Flask:
    return site(tmp_path)


@pytest.fixture
def room(school: flask.Flask) -> Room:
    """A class of six that asks for real names."""
    return open_room(school, 6, real="may")


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)
