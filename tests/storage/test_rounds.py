"""Finished rounds beside their session: numbered as they come, kept with it, never replaced."""

import random

import flask
import msgspec
import pytest
from flask.testing import FlaskClient
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore
from web.storage.rounds import (
    MAX_ROUNDS,
    NewRound,
    Round,
    amend_rounds,
    decompressed,
    round_of,
    rounds_of,
    rows_with,
    session_place,
)
from web.storage.session_rows import Kept, find_session, packed
from web.storage.sqlite import SQLiteStore

from tests.support.site import JSON, TABLE, any_store_of, finish, look, session_of, sid
from tests.support.stores import (
    ANN,
    BEN,
    DAY,
    at_call,
    end_of,
    keep,
    later,
    new,
    numbers,
    overwrite,
    rows,
    war,
)
from web.storage.store import LIFETIME, Store


def kept(store: Store, game: str = "war", sid: str = ANN) -> dict[int, bytes]:
    return {one.number: one.data for one in reversed(rounds_of(store, sid, game))}


# ---- Numbered and kept -------------------------------------------------------------------------


def test_a_round_is_kept_with_the_move_that_finished_it(store: Store) -> None:
    assert keep(store, ANN, [new(1, b"\x00\xff:\n")])
    assert rounds_of(store, ANN, "war") == (war(1, b"\x00\xff:\n"),)
    assert keep(store, ANN)
    assert keep(store, ANN, [new(2), new(1, b"B", "bingo"), new(3)])
    assert rounds_of(store, ANN, "war") == (war(3), war(2), war(1, b"\x00\xff:\n"))
    assert rounds_of(store, ANN, "bingo") == (Round("bingo", 1, b"B"),)
    assert rounds_of(store, ANN, "wa") == rounds_of(store, BEN, "war") == ()
    assert round_of(store, ANN, "war", 2) == war(2)


def test_who_is_overtaken_leaves_no_round(store: Store) -> None:
    assert keep(store, ANN, [new(1)])
    late = find_session(store, ANN) or Kept()
    assert keep(store, ANN)
    rounds = rows_with(store, ANN, late.newest, [new(2), new(3)])
    put, seen = {**rounds.put, "tables": packed(late)}, {**rounds.seen, "tables": late.revision}
    assert not store.write(session_place(ANN), put, seen, expires=end_of(store))
    assert rounds_of(store, ANN, "war") == (war(1),)


def test_rounds_that_were_amended_meanwhile_are_not_put_together_as_they_were(store: Store) -> None:
    assert keep(store, ANN, [new(number) for number in range(1, 11)])
    late = find_session(store, ANN) or Kept()
    rounds = rows_with(store, ANN, late.newest, [new(11)])
    amend_rounds(store, ANN, "war", {rounds_of(store, ANN, "war")[0]: b"amended"})
    put, seen = {**rounds.put, "tables": packed(late)}, {**rounds.seen, "tables": late.revision}
    assert not store.write(session_place(ANN), put, seen, expires=end_of(store))


def test_what_is_too_old_is_really_gone(in_file: SQLiteStore, in_redis: RedisStore) -> None:
    for store in (in_file, in_redis):
        for number in range(1, 301):
            assert keep(store, ANN, [new(number)])
        found = store.scan(session_place(ANN), "round/").rows.values()
        # Twelve go together: so up to eleven old ones may still lie there, unseen.
        assert 200 <= sum(decompressed(row.data).count(b"round ") for row in found) <= 211
        assert len(found) <= 18 + 11
        assert numbers(store) == list(range(300, 100, -1))
    assert rows(in_file, "place") == 1


@pytest.mark.parametrize("many", [1, 12, 450])
def test_many_in_one_save_are_as_many_saves(store: Store, many: int) -> None:
    assert keep(store, ANN, [new(number) for number in range(1, many + 1)])
    assert keep(store, ANN, [new(many + 1)])
    newest = range(many + 1, max(0, many + 1 - MAX_ROUNDS), -1)
    assert rounds_of(store, ANN, "war") == tuple(war(number) for number in newest)


def test_random_saves_and_reads_agree_with_a_plain_list(store: Store) -> None:
    luck = random.Random(7)
    said: list[bytes] = []
    for _ in range(120):
        data = [luck.randbytes(luck.choice((0, 1, 40, 300))) for _ in range(luck.randrange(6))]
        assert keep(store, ANN, [NewRound("bingo", one) for one in data])
        said += data
        newest = len(said)
        number = luck.randint(1, newest + 2)
        found = round_of(store, ANN, "bingo", number)
        expected = said[number - 1] if newest - MAX_ROUNDS < number <= newest else None
        assert (found and found.data) == expected
    assert kept(store, "bingo") == dict(list(enumerate(said, 1))[-MAX_ROUNDS:])


def test_rounds_end_with_their_session_and_not_before(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain moves, which finish no round, keep the old rounds alive."""
    keep(store, ANN, [new(1)])
    with later(store, LIFETIME - DAY, monkeypatch):
        assert keep(store, ANN)
        with later(store, LIFETIME - DAY, monkeypatch):
            assert numbers(store) == [1]
        with later(store, LIFETIME + DAY, monkeypatch):
            assert numbers(store) == []


# ---- Amended -----------------------------------------------------------------------------------


def test_a_round_is_amended_only_as_it_was_read(store: Store) -> None:
    for number in range(1, 40):
        keep(store, ANN, [new(number, b"%d" % number)])
    first, second, *_ = rounds_of(store, ANN, "war")
    old = round_of(store, ANN, "war", 3)
    assert old
    amend_rounds(store, ANN, "war", {first: b"new", second: b"too", old: b"old"})
    amend_rounds(store, ANN, "war", {first: b"late", second._replace(data=b"x"): b"never"})
    amend_rounds(store, ANN, "war", {})
    amend_rounds(store, "nobody", "war", {first: b"never"})
    expected = {number: b"%d" % number for number in range(1, 40)}
    assert kept(store) == {**expected, 39: b"new", 38: b"too", 3: b"old"}
    assert find_session(store, "nobody") is None
    for number in range(40, 60):
        assert keep(store, ANN, [new(number)])
    assert kept(store)[39] == b"new"


def test_what_is_amended_between_the_read_and_the_write_stays(in_memory: MemoryStore) -> None:
    assert keep(in_memory, ANN, [new(1)])
    (kept_round,) = rounds_of(in_memory, ANN, "war")
    # It has read, and is about to write.
    at_call(in_memory, 2, lambda: amend_rounds(in_memory, ANN, "war", {kept_round: b"first"}))
    amend_rounds(in_memory, ANN, "war", {kept_round: b"second"})
    assert kept(in_memory) == {1: b"first"}


# ---- A session that is begun anew --------------------------------------------------------------


def history(client: FlaskClient) -> dict[int, str]:
    """Return when each finished round was over, and how, by their numbers."""
    rounds = look(client, f"{TABLE}/history")["rounds"]
    return {one["number"]: f"{one['finished']} {one['result']}" for one in rounds}


def test_a_session_begun_anew_goes_on_in_its_history(app: flask.Flask) -> None:
    client = app.test_client()
    for _ in range(14):
        finish(client, TABLE)
    before = history(client)
    overwrite(any_store_of(app), sid(client), b"garbage")
    for _ in range(2):
        finish(client, TABLE)
    after = history(client)
    assert sorted(after) == list(range(1, 17))
    assert {number: after[number] for number in before} == before
    for number in after:
        assert client.get(f"{TABLE}/history/{number}").status_code == 303


def test_behind_rounds_that_cannot_be_read_either_the_numbers_go_on(in_memory: MemoryStore) -> None:
    for number in range(1, 41):
        keep(in_memory, ANN, [new(number), NewRound("one-deck", b"x")])
    for key in ("round/war/0000001", "round/war/0000003"):  # 12 to 23, and from 36 on
        before = in_memory.scan(session_place(ANN), key).rows
        damaged = dict.fromkeys(before, b"\xc1garbage")
        assert in_memory.write(session_place(ANN), damaged, {})
    overwrite(in_memory, ANN, b"garbage")
    assert keep(in_memory, ANN, [new(48), NewRound("one-deck", b"y")])
    assert kept(in_memory) == {n: war(n).data for n in (*range(1, 12), *range(24, 36), 48)}
    assert kept(in_memory, "one-deck")[41] == b"y"


def test_a_table_begun_anew_tells_no_hidden_card_of_the_one_before(app: flask.Flask) -> None:
    """One deck lasts over rounds: what a round leaves hidden is opened by its own table alone."""
    client = app.test_client()
    finish(client, "/one-deck")
    assert not look(client, "/one-deck/history")["rounds"][0]["opened"]
    with session_of(client) as session:
        row = msgspec.msgpack.decode(session["table:one-deck"])
        broken = msgspec.msgpack.encode([*row[:2], "no number"])
        session["table:one-deck"] = msgspec.Raw(broken)
    for _ in range(3):  # a table that opens what it has dealt, again and again
        finish(client, "/one-deck")
        step = look(client, "/one-deck")["step"]
        client.post("/one-deck", data={"move": "new", "step": step}, headers=JSON)
    rounds = look(client, "/one-deck/history")["rounds"]
    found = [(one["number"], one["opened"]) for one in rounds]
    assert found == [(4, True), (3, True), (2, True), (1, False)]
    assert "??" in rounds[-1]["record"] or "+" in rounds[-1]["record"]
