"""Tournaments as a class meets them: made, opened, played in order, ended."""

import re
import time

import flask
import pytest

from tests.support.classroom import JSON, Room, Watch, refusal
from tests.support.tournaments import (
    HOUR,
    local,
    make,
    play_deal,
    stands_on,
    try_move,
)

DAY = 24 * HOUR


def try_make(room: Room, step: int | None = None, **fields: object) -> flask.Response:
    step = room.desk()["step"] if step is None else step
    sent = {"table": "blackjack", "deals": 3, **fields}
    return room.boss.post("/tournaments", move="make", step=step, **sent)


# ---- Making one ----------------------------------------------------------------------------------


def test_a_tournament_is_made_and_found(room: Room) -> None:
    ends = local(time.time() + HOUR)
    first = make(room, title="  Ten for   Friday ", deals=10, until=ends, screen="nobody")
    second = make(room, table="one-deck", ranking="result")
    names = ("tournament", "title", "table", "deals", "ranking", "screen", "open", "over")
    assert [[one[name] for name in names] for one in (first, second)] == [
        [1, "Ten for Friday", "blackjack", 10, "play", "nobody", True, False],
        [2, "Tournament 2", "one-deck", 3, "result", "best", True, False],
    ]
    assert second["until"] is None
    for who in (room.boss, room.phones[0]):
        listed = who.json("/tournaments")["tournaments"]
        assert [one["title"] for one in listed] == ["Ten for Friday", "Tournament 2"]
        assert "Ten for Friday" in who.get("/tournaments").text
    assert listed[0]["next"] == {"deal": 1, "address": f"/class/{room.code}/tournament/1/deal/1"}
    assert "Ten for Friday" in room.phones[0].get().text
    assert 'href="/class/' in room.boss.get("/dashboard").text
    assert "moves" not in room.phones[0].json("/tournaments")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("table", "war", "The field table takes one of simple-21, blackjack, one-deck."),
        ("table", "bingo", "The field table takes one of"),
        ("deals", "0", "The field deals takes a number from 1 to 20."),
        ("deals", "21", "The field deals takes a number from 1 to 20."),
        ("deals", "²", "The field deals takes a number"),
        ("ranking", "luck", "The field ranking takes one of play, result."),
        ("screen", "all", "The field screen takes one of best, nobody."),
        ("until", "Friday", "A time is written like 2026-11-27T18:00."),
        ("until", "99999-01-01T00:00", "A time is written like"),
        ("until", -HOUR, "A tournament ends after it has begun"),
        ("until", 15 * DAY, "This class is kept for 14 days"),
        ("until", 13 * DAY + HOUR, "This class is kept for 14 days"),  # a day to look at results
        ("from", 30 * DAY, "This class is kept for 14 days"),
        ("title", "x" * 41, "A tournament has a title of at most 40 characters"),
        ("title", "a\u200bb", "A tournament has a title"),
    ],
)
def test_what_cannot_be_made_is_said_in_a_sentence(
    room: Room, field: str, value: str | int, sentence: str
) -> None:
    wrong = {field: local(time.time() + value) if isinstance(value, int) else value}
    before = room.desk()["step"]
    assert refusal(try_make(room, before, **wrong)).startswith(sentence)
    sent = {"move": "make", "step": before, "table": "one-deck", "deals": 7, "title": "Kept"}
    page = room.boss.post("/tournaments", page=True, **sent | wrong)
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert ('value="Kept"' in page.text) == (field != "title")
    assert room.boss.json("/tournaments")["tournaments"] == []
    assert room.desk()["step"] == before


def test_only_who_leads_the_class_makes_one(room: Room) -> None:
    for who in (room.phones[0], room.visitor()):
        answer = who.post("/tournaments", move="make", step=2, table="blackjack", deals=1)
        assert answer.status_code == 403
        assert who.post("/tournament/1", move="end", step=2).status_code in (403, 404)
    assert room.visitor().get("/tournaments").status_code == 303
    assert room.visitor().get("/tournaments", headers=JSON).status_code == 403
    assert room.boss.get("/tournament/1").status_code == 404


def test_a_stale_step_makes_nothing(room: Room) -> None:
    step = room.desk()["step"]
    assert try_make(room, step).status_code == 200
    again = try_make(room, step)
    assert again.status_code == 409
    assert len(again.get_json()["tournaments"]) == 1
    for name in ("end", "until", "screen", "show"):
        assert try_move(room, name, step).status_code == 409
    assert room.boss.json("/tournament/1")["over"] is False


def test_a_class_has_twenty_at_most(room: Room) -> None:
    for _ in range(20):
        make(room, deals=20)
    assert refusal(try_make(room)) == "A class has 20 tournaments at most."
    assert "make" not in [move["name"] for move in room.boss.json("/tournaments")["moves"]]
    assert 'name="deals"' not in room.boss.get("/tournaments").text


# ---- Playing -------------------------------------------------------------------------------------


def test_deals_are_played_in_their_order_and_lead_to_the_next(room: Room) -> None:
    """By the pages' forms alone; a page that is asked for at once is that of a reload."""
    make(room, deals=3)
    phone, address = room.phones[0], f"/class/{room.code}/tournament/1"
    for ahead in (2, 3):
        answer = phone.post(f"/tournament/1/deal/{ahead}", move="deal", step=0)
        assert refusal(answer) == "The deals are played in their order: deal 1 is next."
        assert phone.get(f"/tournament/1/deal/{ahead}").status_code == 303
    for deal in (1, 2, 3):
        here, move, step = f"{address}/deal/{deal}", "deal", "0"
        while move:
            wishes = {"Prefer": "return=representation"} if step == "0" or deal == 2 else {}
            answer = phone.client.post(here, data={"move": move, "step": step}, headers=wishes)
            assert answer.status_code == (200 if wishes else 303)
            page = phone.client.get(here).text
            assert not wishes or main_of(answer.text) == main_of(page)
            forms = re.findall(
                rf'action="{here}"[^>]*>\s*<input type="hidden" name="step" value="(\d+)">'
                r'\s*<button name="move" value="(\w+)"',
                page,
            )
            step, move = forms[-1] if forms else ("", "")
        assert f"Deal {deal} of 3" in page
        assert (f'action="{address}/deal/{deal + 1}"' in page) == (deal < 3)
    assert f'href="{address}"' in page
    assert phone.post("/tournament/1/deal/4", move="deal", step=0).status_code == 422
    assert phone.get("/tournament/1/deal/0").status_code == 404


def main_of(page: str) -> str:
    """Return the content of a page."""
    (found,) = re.findall(r"<main.*</main>", page, re.DOTALL)
    return str(found)


def test_a_finished_deal_stays_as_it_is_and_has_no_link(room: Room) -> None:
    make(room, deals=2)
    phone = room.phones[0]
    table = play_deal(phone, 1, stands_on(17))
    for step in (0, 1, table["step"]):
        for move in ("deal", "hit", "stay", "new"):
            answer = phone.post("/tournament/1/deal/1", move=move, step=step)
            assert answer.status_code == (422 if step == table["step"] else 409)
    assert phone.json("/tournament/1/deal/1") == table
    assert [one["played"] for one in room.boss.json("/tournament/1")["students"]] == [1]
    assert not re.search(r'"/deals?/', phone.get("/tournament/1/deal/1").text)
    assert phone.client.get("/deals", headers=JSON).get_json() == {"deals": []}


def test_there_is_no_coach_no_odds_and_no_replay_before_the_end(room: Room, watch: Watch) -> None:
    make(room, deals=2, until=local(watch.now + HOUR))
    phone = room.phones[0]
    for who in (room.boss, phone):
        who.client.post("/coach", data={"table": "blackjack", "mode": "before"})
    phone.post("/tournament/1/deal/1", move="deal", step=0)
    open_page = phone.get("/tournament/1/deal/1").text
    table = play_deal(phone, 1, stands_on(17))
    for page in (open_page, phone.get("/tournament/1/deal/1").text):
        for word in ("advice", "what-if", "/replay", "/odds", "/coach"):
            assert word not in page
    early = phone.get("/tournament/1/deal/1/replay", headers=JSON)
    assert refusal(early) == "Replays open when the tournament is over."
    own_table = phone.client.get("/blackjack", headers=JSON).get_json()
    assert (own_table["step"], own_table["view"]["round"]) == (0, 0)
    history = phone.client.get("/blackjack/history", headers=JSON).text
    assert not any(card in history for card in table["view"]["player"]["cards"])
    watch.pass_by(HOUR + 1)
    for none in (0, 2, 3, 10**30):
        assert phone.get(f"/tournament/1/deal/{none}/replay").status_code == 404
    late = phone.get("/tournament/1/deal/1/replay")
    assert late.status_code == 303
    replayed = phone.client.get(late.headers["Location"])
    assert (replayed.status_code, "what-if" in replayed.text) == (200, True)
    assert "/deal/1/replay" in phone.get("/tournament/1").text


def test_who_steps_out_plays_no_more_and_keeps_what_was_played(room: Room) -> None:
    make(room, deals=2, ranking="result")
    phone = room.phones[0]
    play_deal(phone, 1, stands_on(17))
    phone.post("/leave", what="step-out")
    answer = phone.post("/tournament/1/deal/2", move="deal", step=0)
    assert refusal(answer) == "You have stepped out: step in again to play."
    assert "step in again to play" in phone.get("/tournament/1").text
    assert phone.json("/tournament/1")["next"] is None
    phone.post("/leave", what="step-in")
    play_deal(phone, 2, stands_on(17))
    assert phone.json("/tournament/1")["you"]["place"] == 1


# ---- Times ---------------------------------------------------------------------------------------


def test_it_opens_and_ends_at_its_times(room: Room, watch: Watch) -> None:
    make(room, **{"from": local(watch.now + HOUR)}, until=local(watch.now + 2 * HOUR))
    phone = room.phones[0]
    early = phone.post("/tournament/1/deal/1", move="deal", step=0)
    assert refusal(early).startswith("This tournament opens ")
    assert phone.json("/tournament/1")["next"] is None
    assert phone.get("/tournament/1/deal/1").status_code == 303
    watch.pass_by(HOUR - 90)
    (seconds,) = re.findall(r'"refresh" content="(\d+)"', phone.get("/tournament/1").text)
    assert 88 <= int(seconds) <= 90  # then it is open
    watch.pass_by(90)
    play_deal(phone, 1, stands_on(17))
    assert phone.post("/tournament/1/deal/2", move="deal", step=0).status_code == 200
    watch.pass_by(HOUR)
    for deal, step in ((2, 1), (3, 0)):
        late = phone.post(f"/tournament/1/deal/{deal}", move="stay", step=step)
        assert refusal(late) == "This tournament is over."
    shown = room.boss.json("/tournament/1")
    assert (shown["over"], shown["open"]) == (True, False)
    assert [(one["played"], one["place"]) for one in shown["students"]] == [(1, None)]
    assert "2 deals missing" in phone.get().text


def test_its_end_can_be_moved_until_it_has_come(room: Room, watch: Watch) -> None:
    make(room, until=local(watch.now + HOUR))
    assert try_move(room, "until", until=local(watch.now + 3 * HOUR)).status_code == 200
    watch.pass_by(2 * HOUR)
    play_deal(room.phones[0], 1, stands_on(17))
    assert try_move(room, "until", until=local(watch.now - HOUR)).status_code == 422
    assert try_move(room, "until").status_code == 200  # until it is ended
    assert room.boss.json("/tournament/1")["until"] is None
    assert try_move(room, "end").status_code == 200
    for name in ("end", "until"):
        assert refusal(try_move(room, name)) == "This tournament is over."
    assert room.phones[0].get("/tournament/1/deal/1/replay").status_code == 303


def test_it_ends_with_its_class(room: Room) -> None:
    make(room)
    room.phones[0].post("/tournament/1/deal/1", move="deal", step=0)
    room.move("close")
    assert room.phones[0].post("/tournament/1/deal/1", move="stay", step=1).status_code == 422
    assert room.phones[0].json("/tournament/1")["over"] is True


def test_its_deals_become_links_when_it_is_over(room: Room, watch: Watch) -> None:
    make(room, deals=2, until=local(watch.now + HOUR))
    phone, other = room.phones[:2]
    for who in (phone, room.boss):
        early = who.post("/tournament/1/deal/1/link")
        assert refusal(early) == "Its deals become links when the tournament is over."
    table = play_deal(phone, 1, stands_on(17))
    watch.pass_by(HOUR + 1)
    link = phone.post("/tournament/1/deal/1/link").get_json()
    assert room.boss.post("/tournament/1/deal/1/link").get_json() == link
    assert room.boss.post("/tournament/1/deal/2/link").get_json() != link
    assert other.post("/tournament/1/deal/3/link").status_code == 404
    assert room.visitor().post("/tournament/1/deal/1/link").status_code == 403
    again = other.client.post(link["address"], data={"move": "deal", "step": 0}, headers=JSON)
    assert again.get_json()["view"]["player"]["cards"] == table["view"]["player"]["cards"][:2]
