"""Whoever listens hears of each round that is kept, once, and of no other."""

from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames.moves import CONCEDE
from tests.support.play import deck_file
from web.settings import Settings
from web.storage.protocol import StoreUnavailable
from web.storage.sessions import sessions_of
from web.tables.listeners import RoundsOver, on_rounds_over

JSON = {"Accept": "application/json"}


@pytest.fixture
def site(tmp_path: Path) -> flask.Flask:
    return create_app(Settings(data_dir=tmp_path))


def play(client: FlaskClient, *moves: str, slug: str = "blackjack", **fields: str) -> int:
    for move in moves:
        step = client.get(f"/{slug}", headers=JSON).get_json()["step"]
        form = {"move": move, "step": step, **fields}
        status = client.post(f"/{slug}", data=form, headers=JSON).status_code
        fields = {}
    return status


def test_a_round_is_told_with_the_move_that_ends_it(site: flask.Flask) -> None:
    heard: list[RoundsOver] = []
    on_rounds_over(site, heard.append)
    client = site.test_client()
    play(client, "deal", deck=deck_file("KS 7H KD 8C"))
    assert not heard
    play(client, "stay")
    (over,) = heard
    assert over.location.path == "/blackjack"
    assert over.slot.table.finished == 1
    assert [[action.name for action in one.actions] for one in over.records] == [["deal", "stay"]]
    play(client, "deal", "deal", deck=deck_file("KS 7H KD 8C"))  # given up, and dealt anew
    assert heard[1].records[0].actions[-1].name == CONCEDE.name


def test_nobody_is_told_of_what_was_not_kept(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[RoundsOver] = []
    on_rounds_over(site, heard.append)
    client = site.test_client()
    play(client, "deal", deck=deck_file("KS 7H KD 8C"))
    store = sessions_of(site).store
    save, refused = store.save, [True]

    def overtaken(*args: object, **more: object) -> bool:
        return False if refused and refused.pop() else save(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "save", overtaken)
    assert play(client, "stay") == 200
    assert len(heard) == 1


def test_a_listener_that_cannot_write_takes_no_move_back(site: flask.Flask) -> None:
    def fails(_: RoundsOver) -> None:
        raise StoreUnavailable

    on_rounds_over(site, fails)
    client = site.test_client()
    play(client, "deal", deck=deck_file("KS 7H KD 8C"))
    assert play(client, "stay") == 200
    assert client.get("/blackjack", headers=JSON).get_json()["view"]["phase"] == "round over"
