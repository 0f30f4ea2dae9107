"""Rounds and homework of a class. The totals are equal on SQLite and PostgreSQL."""

from operator import itemgetter
from typing import Final

import flask
import pytest

from tests.support.classroom import Room, open_room
from tests.support.insight import played, put_by, salts_for
from tests.support.tournaments import make, play_all, play_deal, stands_on
from web import db
from web.classroom.core.words import local_time
from web.classroom.insight.models import OLDER_DAYS, StudentDay
from web.classroom.insight.queries import MAX_DAYS
from web.http.sessions import DAY

SLUG: Final = "simple-21"
COST: Final = -0.50815725 - -0.54443916
"""The cost of standing on 16 against a ten, in rounds, from the reference numbers."""


@pytest.fixture
def room(app: flask.Flask) -> Room:
    return open_room(app, 4)


def test_decisions_are_added_up_by_day_and_kind(room: Room) -> None:
    salt = next(salts_for(SLUG, "6T", "T"))
    stands, best = played(SLUG, salt, lambda _: "stay"), played(SLUG, salt)
    with room.app.app_context():
        now = db.now()
    for phone in room.phones[:3]:
        for days_ago in range(MAX_DAYS + 2):
            put_by(room, phone.number, stands, best, at=now - days_ago * DAY)
    table = room.boss.json("/insight")["tables"][SLUG]
    (one,) = table["decisions"]
    assert (one["students"], one["times"], one["move"]) == (3, 3 * (MAX_DAYS + 2), "stay")
    assert [each["rounds"] for each in table["students"]] == [2 * (MAX_DAYS + 2)] * 3
    today = room.boss.json("/insight?days=1")["tables"][SLUG]
    assert [each["rounds"] for each in today["students"]] == [2] * 3
    assert one["replay"]
    rows = room.phones[0].json("/me.json")["rows"]
    assert {row["day"]: row["rounds"] for row in rows["student_days"]} == {
        str(OLDER_DAYS): 2 * 2,  # All days before the newest day are listed together.
        **{str(local_time(now - n * DAY).date()): 2 for n in range(MAX_DAYS)},
    }
    mistakes = rows["student_mistakes"]
    assert sum(row["times"] for row in mistakes) == MAX_DAYS + 2
    assert sum(row["cost"] for row in mistakes) == pytest.approx((MAX_DAYS + 2) * COST, abs=1e-6)
    (earlier,) = (row for row in mistakes if row["day"] == str(OLDER_DAYS))
    assert (earlier["times"], earlier["record"]) == (2, mistakes[-1]["record"])
    put_by(room, 1, best, at=now + DAY)
    days = room.phones[0].json("/me.json")["rows"]["student_days"]
    counts = [row["rounds"] for row in sorted(days, key=itemgetter("day"))]
    assert counts == [2 * 3, *[2] * (MAX_DAYS - 1), 1]
    with db.database(room.app).session(writes=False) as session:
        assert session.query(StudentDay).count() == 3 * (MAX_DAYS + 1)


def test_a_tournament_has_places_and_knows_a_browser_again(room: Room) -> None:
    make(room, deals=2)
    for phone, total in zip(room.phones, (17, 17, 21), strict=False):
        play_all(phone, stands_on(total))
    found = room.boss.json("/tournament/1")
    assert [row["played"] for row in found["students"]] == [2, 2, 2]
    places = {row["name"]: row["place"] for row in found["students"]}
    first, second, other = (places[phone.name] for phone in room.phones[:3])
    assert first == second, "equal play shares a place"
    assert (first, other) in {(1, 1), (1, 3), (2, 1)}, "either may be better, by luck"
    last = room.phones[3]
    play_deal(last, 1, stands_on(17))
    for _ in range(2):
        assert last.post("/leave", what="forget").status_code == 200
        last.join()
        assert last.json("/tournament/1")["next"]["deal"] == 2
