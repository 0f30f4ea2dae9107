"""A class in the database: statements per phone request, rollbacks, deleted rows.

Each test in this module runs on both SQLite and PostgreSQL.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import flask
import pytest
from sqlalchemy import Connection, event, text, update
from werkzeug.test import TestResponse

from tests.database.test_transactions import another_tab, at_once, statements
from tests.support.amounts import few_or_all
from tests.support.classroom import JSON, Phone, Room, Watch, class_rows, open_room, refusal
from tests.support.machines import wait_until
from tests.support.tournaments import make, play_deal, stands_on
from web import db
from web.classroom.bingo import queries as rounds
from web.classroom.core.models import BingoRound, Classroom


@pytest.fixture
def room(app: flask.Flask) -> Room:
    """A class with three students that asks for real names."""
    return open_room(app, 3, real="may", nicknames="free")


def verbs(seen: list[str]) -> list[str]:
    return [statement.split()[0] for statement in seen]


# ---- Statements ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/bingo"])
def test_not_modified_takes_two_selects(room: Room, path: str) -> None:
    room.deal(by_hand="Y")
    phone = room.phones[0]
    version = phone.json("/bingo")["version"]
    answer = phone.get(path)
    tag = answer.headers.get("ETag", f'"{version}"')
    phone.get(path, headers={"If-None-Match": tag})  # saves the presence, once per 10 s
    with statements(room.app) as seen:
        assert phone.get(path, headers={"If-None-Match": tag}).status_code == 304
    assert verbs(seen) == ["SELECT", "SELECT"]  # session and numbers of the class


def test_viewing_a_class_never_writes(room: Room) -> None:
    room.deal()
    phone, paths = room.phones[0], ("", "/bingo", "/me.json", "/projector", "/dashboard")
    asked = [partial(one.get, path) for one in (phone, room.boss) for path in paths]
    for ask in asked:
        ask()
    with statements(room.app) as seen:
        for ask in asked:
            ask()
    assert {*verbs(seen)} == {"SELECT"}


def test_a_call_reads_no_students_and_a_deal_reads_them_once(room: Room) -> None:
    asked = []
    for name, fields in (("deal", {"every": "0"}), ("call", {"call": "1"})):
        step = room.desk()["step"]
        with statements(room.app) as seen:
            answer = room.boss.post("/dashboard", page=True, move=name, step=step, **fields)
        assert answer.status_code == 303
        asked.append(sum("students.name_key" in statement for statement in seen))
    assert asked == [1, 0]


def cost(app: flask.Flask, send: Callable[[], TestResponse]) -> tuple[int, int, int]:
    """Return the numbers of statements, transactions and class queries."""
    begun: list[Connection] = []
    engine, note = db.database(app).engine, begun.append
    event.listen(engine, "begin", note)
    try:
        with statements(app) as seen:
            assert send().status_code in (200, 303)
    finally:
        event.remove(engine, "begin", note)
    # PostgreSQL's clock is read every ten seconds.
    seen = [statement for statement in seen if "clock_timestamp" not in statement]
    reads = sum(statement.startswith("SELECT classes.code,") for statement in seen)
    return len(seen), len(begun), reads


def page_after(phone: Phone, path: str, **form: Any) -> Callable[[], TestResponse]:
    """Return a function that sends a form like the script, and returns the page."""
    url, headers = f"/class/{phone.code}{path}", {"Prefer": "return=representation"}
    return lambda: phone.client.post(url, data=form, headers=headers)


def test_call_and_its_page_read_the_class_once(room: Room) -> None:
    room.deal(by_hand="Y", every="0")
    room.move("call", call="1")
    call = page_after(room.boss, "/dashboard", move="call", call="2", step=room.desk()["step"])
    # Statements: session, lock, class, cards, the update; then students, winners of the last hour,
    # shared links. There are no claims.
    assert cost(room.app, call) <= (8, 2, 1)


def test_claim_and_its_page_are_one_transaction(room: Room) -> None:
    room.deal(by_hand="Y", every="0")
    room.move("call", call="1")
    claim = page_after(room.phones[0], "/bingo", move="claim", call="1")
    # Statements: session, lock, class, student, cards, the new claim, the update.
    assert cost(room.app, claim) == (7, 1, 1)


def test_answer_and_its_page_are_one_transaction(room: Room) -> None:
    room.vote("ask", table="blackjack", hand="10 6", upcard="10")
    answer = {"choice": "hit", "vote": "1", "ballot": "1", "sure": "1"}
    first = page_after(room.phones[0], "/vote", **answer)
    # Statements: session, lock, class, student, vote, answers, the new answer.
    assert cost(room.app, first) == (7, 1, 1)
    again = page_after(room.phones[0], "/vote", **answer | {"choice": "stay"})
    assert cost(room.app, again) == (7, 1, 1)
    assert room.phones[0].json("/vote")["yours"] == {"1": {"choice": "stay", "sure": 1}}


def test_join_and_a_phones_page_read_the_class_once(room: Room) -> None:
    phone = room.visitor()
    count, transactions, reads = cost(room.app, lambda: phone.post("/join", name="Ann"))
    assert (transactions, reads) <= (3, 1)
    assert count <= 11
    room.deal(by_hand="Y", every="0")
    phone.bingo()
    # Statements: session, class with its student. The cards come from a cache.
    assert cost(room.app, lambda: phone.get("/bingo")) == (2, 1, 1)


# ---- Concurrent requests -------------------------------------------------------------------------


def test_one_of_several_gets_a_nickname(room: Room) -> None:
    visitors = [room.visitor() for _ in range(6)]
    answers = at_once([partial(visitor.post, "/join", name="Ann") for visitor in visitors])
    assert sorted(answer.status_code for answer in answers) == [200, *[422] * 5]
    numbers = [student["number"] for student in room.desk()["students"]]
    assert numbers == [1, 2, 3, 4]


def test_claims_at_the_same_moment_are_all_kept_and_count_once(room: Room) -> None:
    room.deal(by_hand="Y")
    room.call(51)
    calls = [partial(phone.claim, 51) for phone in room.phones for _ in range(2)]
    assert [answer.get_json()["right"] for answer in at_once(calls)] == [True] * 6
    live = room.desk()["round"]
    assert live["phase"] == "bingo"
    names = [name for place in live["places"] for name in place["names"]]
    assert sorted(names) == sorted(phone.name for phone in room.phones)


def is_locked_out(database: db.Database) -> bool:
    """Return whether a PostgreSQL session waits for a lock. On SQLite, return True."""
    if database.is_sqlite:  # A writer waits before its first query.
        return True
    with database.begin(writes=False) as connection:
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        return bool(connection.scalar(text(waiting)))


def test_claim_waiting_for_the_end_of_its_round_is_rejected(room: Room) -> None:
    room.deal(by_hand="Y", every="0")
    room.call(5)
    database = db.database(room.app)
    with ThreadPoolExecutor(1) as claims:
        with database.session(writes=True) as session:
            session.execute(update(Classroom).values(is_open=False, step=Classroom.step + 1))
            session.execute(update(BingoRound).values(ended=BingoRound.began + 1, calls=5))
            waiting = claims.submit(room.phones[0].claim, 5)
            wait_until(lambda: is_locked_out(database))
            assert not waiting.done()
        answer = waiting.result()
    assert answer.status_code == 422
    assert "ended" in answer.get_json()["error"]


@few_or_all("deals", 6, 20)
@pytest.mark.parametrize("browsers", ["one", "two"])
def test_student_forgotten_during_a_deal_leaves_no_half_state(
    room: Room, browsers: str, deals: int
) -> None:
    """The requests come from two windows of one browser, or from two browsers of one student."""
    make(room, deals=deals)
    phone = room.phones[0]
    while (deal := phone.json("/tournament/1")["next"]["deal"]) < deals - 1:
        play_deal(phone, deal, stands_on(17))
        other = _second(room, phone, browsers)
        address = f"/tournament/1/deal/{deal + 1}"
        began, left = at_once(
            [
                partial(other.post, address, move="deal", step=0),
                partial(phone.post, "/leave", what="forget"),
            ]
        )
        assert left.status_code == 200
        assert began.status_code in (200, 403)
        seen = (deal, deal + 1)
        for one in (phone,) if browsers == "one" else (other, phone):
            one.join(name=f"{browsers} {deal} {one is phone}")
            assert one.json("/tournament/1")["next"]["deal"] - 1 in seen


def _second(room: Room, phone: Phone, browsers: str) -> Phone:
    """Return another window of a phone's browser, or the same student's other browser."""
    if browsers == "one":
        return Phone(another_tab(phone.client), room.code)
    other = room.visitor()
    answer = other.post("/rejoin", name=phone.name, code=phone.rejoin)
    assert answer.status_code == 200, answer.text
    return other


# ---- Time ----------------------------------------------------------------------------------------


def test_slow_request_takes_no_call_back(
    room: Room, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """During the request, the clock calls further cards, and other clients load these cards."""
    room.deal(by_hand="Y", every="3")
    watch.pass_by(3 * 51)
    shown = len(room.phones[1].bingo()["round"]["called"])

    add_claim = rounds.add_claim

    def add_late(*claim: Any) -> None:
        watch.pass_by(3)
        add_claim(*claim)

    monkeypatch.setattr(rounds, "add_claim", add_late)
    answer = room.phones[0].claim(shown)
    assert answer.get_json()["right"]
    assert len(room.phones[1].bingo()["round"]["called"]) == shown + 1


def test_calls_of_the_clock_are_written_once_each(room: Room, watch: Watch) -> None:
    """Only the first request that shows a call writes the call to the database."""
    room.deal(every="3", by_hand="Y")
    written = []
    for seconds in (7, 1, 1):
        watch.pass_by(seconds)
        with statements(room.app) as seen:
            for phone in room.phones:
                phone.get()
                phone.bingo()
            room.desk()
        written.append(sum(one.startswith("UPDATE classes SET called") for one in seen))
    assert written == [1, 0, 1]


# ---- Rollbacks and deletions ---------------------------------------------------------------------


def test_rejected_move_changes_nothing(room: Room) -> None:
    room.deal(by_hand="Y")
    room.call(2)
    before = class_rows(room.app)
    taken = room.phones[0].name
    assert "is already taken" in refusal(room.try_move("rename", student=2, name=taken))
    refusal(room.try_move("call", call=9, step=room.desk()["step"]), 409)
    assert room.visitor().post("/join", name=taken).status_code == 422
    refusal(room.phones[1].post("/bingo", move="mark", place=12, on="Y"))
    assert class_rows(room.app) == before


def test_student_is_deleted_with_all_their_rows(room: Room) -> None:
    room.play()
    room.deal(by_hand="Y")
    late: Phone = room.newcomer(real="Ann Example")
    late.bingo()
    late.claim(0)
    late.post("/bingo", move="mark", place=3, on="Y")
    own = [key for key in class_rows(room.app) if key.split()[0] in OWN and key.endswith(" 4")]
    assert own
    assert late.post("/leave", what="forget").status_code == 200
    rows = class_rows(room.app)
    assert not [key for key in rows if key.split()[0] in OWN and key.split()[-1] == "4"]
    assert "Ann Example" not in str(rows)
    assert len([key for key in rows if key.startswith("students ")]) == 3


OWN = ("students",)
"""The tables whose primary keys end with a student's number."""


def test_class_is_deleted_with_all_its_rows(room: Room) -> None:
    other = open_room(room.app, 1)
    room.play()
    room.deal(by_hand="Y")
    room.newcomer(real="Ann Example").bingo()
    room.phones[0].claim(0)
    room.move("roster", names="Ann Example")
    room.holder()
    room.hand_on()
    kept = {key.split()[0] for key in class_rows(room.app)}
    assert {"class_claims", "class_cards", "class_dashboards", "instructor_links"} <= kept
    assert room.try_move("forget").status_code == 200
    assert all(other.code in f"{key} {row}" for key, row in class_rows(room.app).items())


def test_a_class_ends_when_its_time_is_over_and_makes_room(
    room: Room, watch: Watch, app: flask.Flask
) -> None:
    watch.pass_by(120 * 86_400 + 1)
    assert room.phones[0].get(headers=JSON).status_code == 404
    open_room(app)
    with db.database(app).engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM classes")) == 1
        assert connection.scalar(text("SELECT count(*) FROM students")) == 0
