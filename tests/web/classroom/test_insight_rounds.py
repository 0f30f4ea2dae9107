"""Which rounds of a student count, how they are judged, and what becomes of what is damaged."""

import os
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames import GAMES
from tests.support.classroom import JSON, Phone, Room, Watch, class_rows, open_room, site
from tests.support.insight import (
    insight_store,
    judge_all,
    keep_rounds,
    packed_round,
    played,
    put_by,
    salts_for,
)
from tests.support.play import deck_file
from tests.support.site import sid
from web import background
from web.classroom import jobs
from web.classroom.insight_store import InsightStore, TableKey, play_key
from web.classroom.jobs import judged_round
from web.classroom.rows import place_of
from web.settings import Settings
from web.storage import open_store
from web.storage.hints import HINT_HOLDS
from web.storage.memory import MemoryStore, no_pause
from web.storage.rounds import rounds_of
from web.storage.sessions import sessions_of
from web.storage.store import StoreUnavailable
from web.tables.stored_round import StoredRound

SLUG: Final = "blackjack"


def play(client: FlaskClient, *moves: str, slug: str = SLUG, **fields: str) -> None:
    """Play moves at a table; fields belong to the first."""
    for move in moves:
        step = client.get(f"/{slug}", headers=JSON).get_json()["step"]
        form = {"move": move, "step": step, **fields}
        assert client.post(f"/{slug}", data=form, headers=JSON).status_code == 200
        fields = {}


def play_round(client: FlaskClient, slug: str = SLUG) -> None:
    play(client, "new", "deal", slug=slug)
    if client.get(f"/{slug}", headers=JSON).get_json()["view"]["phase"] == "playing":
        play(client, "stay", slug=slug)


def waits(room: Room) -> int:
    return insight_store(room).count_waiting(room.code)


@pytest.fixture
def phone(room: Room) -> Phone:
    return room.phones[0]


# ---- Which rounds count --------------------------------------------------------------------------


def test_a_students_round_waits_with_the_move_that_ends_it(room: Room, phone: Phone) -> None:
    play(phone.client, "deal")
    play_round(phone.client)
    assert waits(room) in (1, 2)  # the first deal may have been over at once
    before = waits(room)
    for slug in ("simple-21", "one-deck"):
        play_round(phone.client, slug)
    assert waits(room) == before + 2
    judge_all(room)
    told = room.boss.json("/insight")
    assert told["waiting"] == 0
    assert {slug: one["rounds"] for slug, one in told["tables"].items()} == {
        SLUG: before,
        "simple-21": 1,
        "one-deck": 1,
    }
    assert [one["number"] for one in told["tables"][SLUG]["students"]] == [phone.number]


def test_only_rounds_since_joining_and_while_stepped_in_count(room: Room) -> None:
    newcomer = room.visitor()
    play_round(newcomer.client)
    newcomer.join()
    assert waits(room) == 0
    for what, rounds in (("step-in", 1), ("step-out", 1), ("step-in", 2)):
        assert newcomer.post("/leave", what=what).status_code == 200
        play_round(newcomer.client)
        assert waits(room) == rounds


@pytest.mark.parametrize("how", ["banned", "removed", "closed", "forgotten", "the instructor"])
def test_nothing_counts_of_who_is_no_student(room: Room, phone: Phone, how: str) -> None:
    match how:
        case "banned":
            room.move("ban", student=phone.number)
        case "removed":
            room.move("remove", student=phone.number)
        case "closed":
            room.move("close")
        case "forgotten":
            assert phone.post("/leave", what="forget").status_code == 200
        case _:
            phone = room.boss
    play_round(phone.client)
    assert waits(room) == 0


def test_rounds_from_a_deck_of_ones_own_or_without_decisions_do_not_count(
    room: Room, phone: Phone
) -> None:
    deck = deck_file("KS 7H KD 8C")
    play(phone.client, "deal", "stay", deck=deck)
    play(phone.client, "deal", "stay", slug="simple-21", deck=deck)
    play(phone.client, "deal", "stay", slug="simple-21")  # the same deck goes on
    play(phone.client, "deal", slug="war", players="2")
    play(phone.client, "turn", slug="war", turns="all")
    assert waits(room) == 0


def test_a_deal_link_does_not_count(room: Room, phone: Phone) -> None:
    """Its cards are others' as well, and perhaps a tournament's."""
    made = phone.client.post("/deals", data={"table": SLUG}, headers=JSON).get_json()
    path = made["address"][made["address"].index("/deal/") + 1 :]
    play(phone.client, "deal", slug=path)
    if phone.client.get(f"/{path}", headers=JSON).get_json()["view"]["phase"] == "playing":
        play(phone.client, "stay", slug=path)
    assert phone.client.get(f"/{path}", headers=JSON).get_json()["view"]["phase"] == "round over"
    assert waits(room) == 0


def test_a_student_of_two_classes_counts_in_both(school: flask.Flask) -> None:
    rooms = [open_room(school) for _ in range(2)]
    client = school.test_client()
    for room in rooms:
        Phone(client, room.code).join()
    play_round(client)
    assert [waits(room) for room in rooms] == [1, 1]


def test_a_round_given_up_is_a_decision(room: Room) -> None:
    """At Blackjack the next deal in the middle of a round loses it."""
    salt = next(salts_for(SLUG, "TT", "6"))
    for who in (1, 2, 3):
        put_by(room, who, played(SLUG, salt, lambda _: "deal"))
    judge_all(room)
    table = room.boss.json("/insight")["tables"][SLUG]
    (row,) = table["decisions"]
    assert (row["what"], row["students"], row["times"]) == ("Giving up 20 against a six", 3, 3)
    odds = GAMES[SLUG].advisor
    assert odds
    assert row["each"] > 100  # a round that is nearly won, for one that is lost
    assert [one["won"] for one in table["students"]] == [0, 0, 0]


# ---- How they are judged -------------------------------------------------------------------------


def test_with_and_without_the_coach_a_round_is_judged_alike(
    room: Room, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in ("simple-21", "blackjack", "one-deck"):
        phone.client.post("/coach", data={"table": slug, "mode": "before"})
        for _ in range(6):
            play_round(phone.client, slug)
    store, found = sessions_of(room.app).store, 0
    for one in insight_store(room).waiting(room.code):
        for row in rounds_of(store, one.sid, one.at.game):
            kept = StoredRound.unpacked(row.data)
            plain = judged_round(one.at.game, msgspec.structs.replace(kept, costs=None))
            with monkeypatch.context() as patch:
                patch.setattr(jobs, "review", None)  # the odds are known, and not asked again
                coached = judged_round(one.at.game, kept)
            assert plain
            assert coached
            for sums in ("rounds", "won", "decisions", "cost", "squares"):
                assert getattr(coached, sums) == pytest.approx(getattr(plain, sums), abs=1e-9)
            whats = [[mistake.what for mistake in one.mistakes] for one in (plain, coached)]
            assert whats[0] == whats[1]
            found += len(plain.mistakes)
    assert found > 3


def test_the_process_beside_the_server_judges_and_steps_back(
    tmp_path: Path,
) -> None:
    room = open_room(site(tmp_path), 1)
    play_round(room.phones[0].client)
    store = open_store(tmp_path, "")
    judge = jobs.make_judge(Settings(data_dir=tmp_path, classes="open"), store)
    assert judge()
    assert not judge()
    assert room.boss.json("/insight")["tables"][SLUG]["rounds"] == 1
    assert not jobs.make_judge(Settings(data_dir=tmp_path, classes="off"), store)()
    assert os.nice(0) < background.NICE


def test_rounds_that_are_judged_in_several_parts_all_count(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PART", -1.0)  # the time is up after each round
    for who in (1, 2):
        put_by(room, who, *(played(SLUG, f"{number:032x}") for number in range(4)))
    judge_all(room)
    students = room.boss.json("/insight")["tables"][SLUG]["students"]
    assert [one["rounds"] for one in students] == [4, 4]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("call", range(1, 14))
def test_a_kill_at_any_call_of_the_store_loses_no_round_and_counts_none_twice(
    tmp_path: Path, moment: str, call: int
) -> None:
    """The move that ends a round touches a session, a hint and a class; a killed worker is gone."""
    store = MemoryStore()
    room = open_room(create_app(Settings(data_dir=tmp_path, classes="open"), store), 1)
    phone = room.phones[0]
    play_round(phone.client)
    view = {"phase": ""}
    while view["phase"] != "playing":
        play(phone.client, "new", "deal")
        view = phone.client.get(f"/{SLUG}", headers=JSON).get_json()["view"]
    before, calls = len(rounds_of(store, sid(phone.client), SLUG)), count(1)

    def kill(now: str, _: str) -> None:
        if now == moment and next(calls) >= call:
            raise StoreUnavailable("killed")

    step = phone.client.get(f"/{SLUG}", headers=JSON).get_json()["step"]
    store.pause = kill
    answer = phone.client.post(f"/{SLUG}", data={"move": "stay", "step": step}, headers=JSON)
    store.pause = no_pause
    kept = len(rounds_of(store, sid(phone.client), SLUG))
    if answer.status_code == 200:
        assert kept == before + 1
    kills = count(1)

    def kill_judge(now: str, _: str) -> None:
        if now == moment and next(kills) == call:
            raise StoreUnavailable("killed")

    store.pause = kill_judge
    with suppress(StoreUnavailable):
        judge_all(room)
    store.pause = no_pause
    judge_all(room)
    assert phone.json("/me.json")["tables"][SLUG]["rounds"] == kept
    table = phone.client.get(f"/{SLUG}", headers=JSON).get_json()
    if "stay" in {move["name"] for move in table["moves"]}:  # the move was not kept: once more
        play(phone.client, "stay")
        judge_all(room)
        assert phone.json("/me.json")["tables"][SLUG]["rounds"] == kept + 1
    now = time.time()
    store.clock = lambda: now + HINT_HOLDS + 1
    judge_all(room)
    assert not insight_store(room).waiting()


def test_a_judge_who_was_killed_or_late_counts_each_round_once(
    room: Room, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreUnavailable("killed")

    play_round(phone.client)
    with monkeypatch.context() as patch, suppress(StoreUnavailable):
        patch.setattr(InsightStore, "wait_no_more", fail)
        judge_all(room)
    play_round(phone.client)
    saves, save = count(), InsightStore.save_play
    monkeypatch.setattr(InsightStore, "save_play", lambda *args: next(saves) > 0 and save(*args))
    judge_all(room)
    assert phone.json("/me.json")["tables"][SLUG]["rounds"] == 2
    assert waits(room) == 0


def test_a_round_that_was_never_kept_is_waited_for_a_minute(room: Room, watch: Watch) -> None:
    insight_store(room).note_rounds(TableKey(room.code, 1, SLUG, b"none"), "0" * 32, [1])
    judge_all(room)
    assert waits(room) == 1
    watch.pass_by(HINT_HOLDS + 1)
    judge_all(room)
    assert waits(room) == 0


# ---- What is damaged, or of another version ------------------------------------------------------


def test_damaged_and_foreign_rounds_are_left_out(room: Room) -> None:
    record = played(SLUG, next(salts_for(SLUG, "6T", "T")), lambda _: "stay")
    good = packed_round(record)
    packed = msgspec.msgpack.decode(good)
    foreign = [b"", b"\xc1", b"not a round", good[:-3], msgspec.msgpack.encode({"a": "map"})]
    for place, value in ((4, "deal fold"), (4, ""), (0, "nobody"), (3, []), (3, [b""])):
        changed = [*packed]
        changed[place] = value
        foreign.append(msgspec.msgpack.encode(changed))
    for data in foreign[5:]:
        assert judged_round(SLUG, StoredRound.unpacked(data)) is None, data
    for slug in ("whist", "war"):
        assert judged_round(slug, StoredRound.unpacked(good)) is None
    table = TableKey(room.code, 1, SLUG, b"table")
    keep_rounds(sessions_of(room.app).store, table, [*foreign, good])
    judge_all(room)
    assert waits(room) == 0
    assert room.boss.json("/insight")["tables"][SLUG]["rounds"] == 1


def packed_play(tables: dict[str, list[object]]) -> bytes:
    """Return how a student plays as its row has it."""
    return msgspec.msgpack.encode((tables, {}))


def keep_play(room: Room, student: int, data: bytes) -> None:
    """Keep a row of how a student plays, whatever is in it."""
    store = sessions_of(room.app).store
    assert store.write(place_of(room.code), {play_key(student): data}, {})


MISTAKE: Final = ["stay", 16, False, "T", 2, 0.1, 0.06, "no record", 1]


@pytest.mark.parametrize(
    "kept",
    [
        b"\xc1 garbage",
        msgspec.msgpack.encode([1, 2]),
        packed_play({"whist": [3, 1, 5, 0.1, 0.1, []]}),
        packed_play({"war": [3, 1, 5, 0.1, 0.1, []]}),
        packed_play({SLUG: [3, 4, 5, 0.1, 0.1, []]}),
        packed_play({SLUG: [3, -1, 5, 0.1, 0.1, []]}),
        packed_play({SLUG: [3, 1, 5, float("nan"), 0.1, []]}),
        packed_play({SLUG: [3, 1, 5, float("inf"), 0.1, []]}),
        *(
            packed_play({SLUG: [3, 1, 5, 0.1, 0.1, [[*MISTAKE[:at], wrong, *MISTAKE[at + 1 :]]]]})
            for at, wrong in ((0, "fold"), (1, 99), (3, "X"), (4, -2), (5, -1.0), (7, 5), (8, None))
        ),
    ],
)
def test_a_student_who_cannot_be_read_is_left_out(room: Room, kept: bytes) -> None:
    keep_play(room, 1, kept)
    put_by(room, 2, played(SLUG, f"{1:032x}"))
    judge_all(room)
    table = room.boss.json("/insight")["tables"][SLUG]
    assert [one["number"] for one in table["students"]] == [2]
    for path in ("/insight", "/insight/students.csv", "/projector?show=insight", "/dashboard"):
        assert room.boss.get(path).status_code == 200
    for path in ("", "/me.json"):
        assert room.phones[0].get(path).status_code == 200
    put_by(room, 1, played(SLUG, f"{1:032x}"))  # and is gone on with
    judge_all(room)
    assert len(room.boss.json("/insight")["tables"][SLUG]["students"]) == 2


def test_a_row_whose_round_cannot_be_read_has_no_replay(room: Room) -> None:
    data = packed_play({SLUG: [3, 1, 5, 0.1, 0.1, [MISTAKE]]})
    for who in (1, 2, 3):
        keep_play(room, who, data)
    (row,) = room.boss.json("/insight")["tables"][SLUG]["decisions"]
    assert (row["replay"], row["students"], row["times"]) == ("", 3, 6)
    text = room.boss.get("/insight").text
    assert "Standing on 16 against a ten" in text
    assert ">Replay<" not in text


# ---- What students see, and what is forgotten ----------------------------------------------------


def test_students_see_all_that_is_kept_of_them(room: Room, phone: Phone) -> None:
    salt = next(salts_for("simple-21", "6T", "T"))
    put_by(room, phone.number, played("simple-21", salt, lambda _: "stay"))
    judge_all(room)
    kept = phone.json("/me.json")["tables"]["simple-21"]
    assert (kept["rounds"], kept["decisions"]) == (1, 1)
    (mistake,) = kept["not_the_best"]
    assert (mistake["move"], mistake["total"], mistake["upcard"]) == ("stay", 16, "T")
    # Simple 21, T6 against a ten: the reference numbers.
    assert mistake["points"] == pytest.approx(100 * (-0.50815725 - -0.54443916), abs=2e-6)
    assert "1 round, " in phone.get("").text
    assert room.phones[1].json("/me.json")["tables"] == {}
    assert "Only rounds from now on count." in room.visitor().get("").text


def test_forget_me_forgets_it_on_the_disk_too(tmp_path: Path) -> None:
    room = open_room(site(tmp_path), 2)
    for phone in room.phones:
        play_round(phone.client)
    judge_all(room)
    for phone in room.phones:
        play_round(phone.client)
    assert room.phones[0].post("/leave", what="forget").status_code == 200
    assert waits(room) == 1
    told = room.boss.json("/insight")["tables"][SLUG]
    assert [one["number"] for one in told["students"]] == [2]
    room.try_move("forget")
    assert not class_rows(room.app)
    assert not insight_store(room).waiting()
