"""A class for each test."""

import flask
import pytest

from tests.support.classroom import Room, Watch, open_room
from tests.support.site import SharedSite


@pytest.fixture(scope="session")
def shared_school(tmp_path_factory: pytest.TempPathFactory) -> SharedSite:
    return SharedSite(tmp_path_factory.mktemp("school"), classes="open")


@pytest.fixture
def school(shared_school: SharedSite) -> flask.Flask:
    return shared_school.emptied()


@pytest.fixture
def room(school: flask.Flask) -> Room:
    """A class of six that asks for real names."""
    return open_room(school, 6, real="may")


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)
