"""A match of two friends on SQLite and on PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import flask

from tests.support.classroom import Watch
from tests.support.site import JSON, look, made_deal
from web import db
from web.commands.upkeep import purge
from web.friends import models


def waiting_match(app: flask.Flask, every: int) -> str:
    """Return the URL of a match whose host is waiting."""
    host = app.test_client()
    address = f"{made_deal(host, 'bingo')}/friend"
    answer = host.post(address, data={"move": "wait", "every": every}, headers=JSON)
    assert answer.status_code == 200, answer.text
    return address


def test_one_of_many_simultaneous_guests_gets_the_seat(app: flask.Flask) -> None:
    address = waiting_match(app, 0)
    clients = [app.test_client() for _ in range(6)]
    with ThreadPoolExecutor(len(clients)) as threads:
        form = {"move": "join"}
        answers = list(threads.map(lambda one: one.post(address, data=form, headers=JSON), clients))
    assert sorted(answer.status_code for answer in answers) == [200] + [422] * 5
    seats = [look(client, address)["player"] for client in clients]
    assert sorted(seat or 0 for seat in seats) == [0] * 5 + [2]


def test_match_survives_a_restart_and_expires(app: flask.Flask, watch: Watch) -> None:
    address, guest = waiting_match(app, 3), app.test_client()
    guest.get(address)  # This request sets the cookie that a seat requires.
    guest.post(address, data={"move": "join"})
    guest.post(address, data={"move": "mark", "round": "1", "place": "3", "on": "Y"})
    guest.post(address, data={"move": "claim", "call": "0"})
    watch.pass_by(7)
    before = look(guest, address)
    assert (len(before["called"]), before["card"]["covered"]) == (2, [3, 12])
    db.database(app).engine.dispose()
    assert look(guest, address) == before
    watch.pass_by(models.LIFETIME + 1)
    assert purge(db.database(app)) >= 1
    assert look(guest, address) == {"deal": before["deal"], "phase": "over", "player": None}
