"""The limit on the size of the database.

A single visitor cannot use up the space and thereby exclude everyone else.
"""

from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select

from tests.support.classroom import Watch
from tests.support.site import JSON, TABLE, new_site
from web import db
from web.commands import upkeep
from web.db.models import SavedSession
from web.deals import models
from web.http.sessions import DAY, ESTABLISHED, USUAL


def new_game(client: FlaskClient, step: int = 0) -> int:
    form = {"move": "new", "step": str(step)}
    return client.post(TABLE, data=form, headers=JSON).status_code


def played_a_while(app: flask.Flask) -> FlaskClient:
    """Return a player who no longer counts as a newcomer."""
    client = app.test_client()
    for step in range(ESTABLISHED):
        assert new_game(client, step) == 200
    return client


def sessions_in(app: flask.Flask) -> int:
    with app.app_context():
        return db.session().scalar(select(func.count(SavedSession.id))) or 0


@pytest.fixture
def full(tmp_path: Path) -> flask.Flask:
    """A site whose size limit is smaller than an empty database."""
    app = new_site(tmp_path, max_store_mb=1)
    app.session_interface._limit = 1  # type: ignore[attr-defined]
    return app


def test_newcomers_replace_players_with_few_moves(tmp_path: Path) -> None:
    app = new_site(tmp_path)
    player = played_a_while(app)
    begun = [app.test_client() for _ in range(20)]
    for client in begun:
        assert new_game(client) == 200
    app.session_interface._limit = 1  # type: ignore[attr-defined]
    for _ in range(10):
        assert new_game(app.test_client()) == 200
    assert sessions_in(app) < 21, "each newcomer has made room"
    assert new_game(player, ESTABLISHED) == 200


def test_full_site_reports_it_and_players_continue(full: flask.Flask) -> None:
    full.session_interface._limit = 0  # type: ignore[attr-defined]
    players = [played_a_while(full) for _ in range(3)]
    full.session_interface._limit = 1  # type: ignore[attr-defined]
    answer = full.test_client().post(TABLE, data={"move": "deal", "step": "0"})
    assert answer.status_code == 503
    assert "no room for another player" in answer.text
    assert answer.headers["Retry-After"]
    assert "Set-Cookie" not in answer.headers
    for player in players:
        assert new_game(player, ESTABLISHED) == 200
    assert sessions_in(full) == 3


def make_deals(app: flask.Flask, most: int) -> int:
    """Create deals until no space is left, and return the number of deals."""
    deal = models.Deal("war", salt=b"s" * 16, choices=(("names", "x" * 700),))
    with app.app_context():
        for made in range(10_000):
            try:
                key = f"{len(db.session().new)}{made}{most}"
                assert models.insert_deal(key, deal, most)
            except models.NoRoomForDeals:
                db.commit()
                return made
    raise AssertionError("there was always room")


def test_deals_take_their_part_and_no_more(app: flask.Flask) -> None:
    """Newcomers get half of the space, so a visitor's script leaves space for everyone else."""
    made = make_deals(app, 50_000)
    assert 40 < made < 60
    assert make_deals(app, 100_000) in (made, made + 1)
    assert new_game(app.test_client()) == 200, "there is room for players still"


def test_after_two_weeks_deals_have_their_part_again(app: flask.Flask, watch: Watch) -> None:
    made = make_deals(app, 20_000)
    watch.now += USUAL * DAY + 1
    upkeep.purge(db.database(app))
    assert make_deals(app, 20_000 - 1) == made
