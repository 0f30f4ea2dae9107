"""Fixtures for all tests of the pages."""

from collections.abc import Iterator
from typing import Any

import flask
import pytest

from cardgames.advice import Odds
from cardgames.games.twentyone import advisor
from cardgames.odds import odds
from tests.support.classroom import SAVED_ROOMS, Room, SavedRooms, Watch, open_room
from tests.support.languages import WIDE, Reader
from tests.support.site import SharedSite


@pytest.fixture(scope="session")
def shared_site(tmp_path_factory: pytest.TempPathFactory) -> SharedSite:
    return SharedSite(tmp_path_factory.mktemp("site"))


@pytest.fixture
def app(shared_site: SharedSite) -> flask.Flask:
    return shared_site.emptied()


@pytest.fixture(scope="session")
def shared_school(tmp_path_factory: pytest.TempPathFactory) -> SharedSite:
    return SharedSite(tmp_path_factory.mktemp("school"), classes="open")


@pytest.fixture(scope="session")
def saved_rooms() -> SavedRooms:
    return SavedRooms()


@pytest.fixture
def school(shared_school: SharedSite, saved_rooms: SavedRooms) -> flask.Flask:
    app = shared_school.emptied()
    app.extensions[SAVED_ROOMS] = saved_rooms
    return app


@pytest.fixture
def room(school: flask.Flask) -> Room:
    """A class of six that asks for real names."""
    return open_room(school, 6, real="may")


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


@pytest.fixture
def reader(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A reader of a site in the invented language."""
    monkeypatch.setitem(app.extensions["languages"], "de", WIDE)
    return Reader(app)


@pytest.fixture(scope="session", autouse=True)
def odds_are_worked_out_once() -> Iterator[None]:
    """Cache odds that several pages show.

    The odds for other cards or another order are still computed.
    """
    known: dict[object, Odds] = {}

    def remembered(*args: Any, **more: Any) -> Odds:
        key = (*args, *more.items())
        if key not in known:
            known[key] = odds(*args, **more)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(advisor, "odds", remembered)
        yield
