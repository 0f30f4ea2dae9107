"""Tournaments as a class meets them: made, opened, played in order, ended, shown, exported."""

import re
import time

import flask

from tests.support.classroom import JSON, Phone, Room, Watch
from tests.support.tournaments import (
    HOUR,
    local,
    make,
    play_all,
    play_deal,
    stands_on,
    try_move,
)


def try_make(room: Room, step: int | None = None, **fields: object) -> flask.Response:
    step = room.desk()["step"] if step is None else step
    sent = {"table": "blackjack", "deals": 3, **fields}
    return room.boss.post("/tournaments", move="make", step=step, **sent)


# ---- Making one ----------------------------------------------------------------------------------


def test_a_tournament_is_made_and_found(room: Room) -> None:
    ends = local(time.time() + HOUR)
    told = make(room, title="  Ten for   Friday ", deals=10, until=ends, screen="nobody")
    assert told["title"] == "Ten for Friday"
    assert (told["table"], told["deals"], told["ranking"]) == ("blackjack", 10, "play")
    assert (told["screen"], told["open"], told["over"]) == ("nobody", True, False)
    second = make(room, table="one-deck", ranking="result")
    assert (second["tournament"], second["title"]) == (2, "Tournament 2")
    assert second["until"] is None
    for who in (room.boss, room.phones[0]):
        listed = who.json("/tournaments")["tournaments"]
        assert [one["title"] for one in listed] == ["Ten for Friday", "Tournament 2"]
        assert "Ten for Friday" in who.get("/tournaments").text
    assert listed[0]["next"] == {"deal": 1, "address": f"/class/{room.code}/tournament/1/deal/1"}
    assert "Ten for Friday" in room.phones[0].get().text
    assert 'href="/class/' in room.boss.get("/dashboard").text
    assert "moves" not in room.phones[0].json("/tournaments")


BAD = (
    ({"table": "war"}, "The field table takes one of simple-21, blackjack, one-deck."),
    ({"table": "bingo"}, "The field table takes one of"),
    ({"deals": "0"}, "The field deals takes a number from 1 to 20."),
    ({"deals": "21"}, "The field deals takes a number from 1 to 20."),
    ({"deals": "²"}, "The field deals takes a number"),
    ({"ranking": "luck"}, "The field ranking takes one of play, result."),
    ({"screen": "all"}, "The field screen takes one of best, nobody."),
    ({"until": "Friday"}, "A time is written like 2026-11-27T18:00."),
    ({"until": "99999-01-01T00:00"}, "A time is written like"),
    ({"until": local(time.time() - HOUR)}, "A tournament ends after it has begun"),
    ({"until": local(time.time() + 15 * 24 * HOUR)}, "This class is kept for 14 days"),
    ({"from": local(time.time() + 30 * 24 * HOUR)}, "This class is kept for 14 days"),
    ({"title": "x" * 41}, "A tournament has a title of at most 40 characters"),
    ({"title": "a\u200bb"}, "A tournament has a title"),
)


def test_what_cannot_be_made_is_said_in_a_sentence(room: Room) -> None:
    before = room.desk()["step"]
    for fields, sentence in BAD:
        answer = try_make(room, before, **fields)
        assert answer.status_code == 422, fields
        assert answer.get_json()["error"].startswith(sentence)
        sent = {"move": "make", "step": before, "table": "one-deck", "deals": 7, "title": "Kept"}
        page = room.boss.post("/tournaments", page=True, **sent | fields)
        assert page.status_code == 422
        assert 'role="alert"' in page.text
        assert ('value="Kept"' in page.text) == ("title" not in fields)
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
    answer = try_make(room)
    assert (answer.status_code, answer.get_json()["error"]) == (
        422,
        "A class has 20 tournaments at most.",
    )
    assert "make" not in [move["name"] for move in room.boss.json("/tournaments")["moves"]]
    assert 'name="deals"' not in room.boss.get("/tournaments").text


# ---- Playing -------------------------------------------------------------------------------------


def test_deals_are_played_in_their_order_and_lead_to_the_next(room: Room) -> None:
    make(room, deals=3)
    phone = room.phones[0]
    for ahead in (2, 3):
        answer = phone.post(f"/tournament/1/deal/{ahead}", move="deal", step=0)
        assert answer.status_code == 422
        assert answer.get_json()["error"] == "The deals are played in their order: deal 1 is next."
        assert phone.get(f"/tournament/1/deal/{ahead}").status_code == 303
    for deal in (1, 2, 3):
        page = play_page(phone, deal)
        assert f"Deal {deal} of 3" in page
        action = f'action="/class/{room.code}/tournament/1/deal/{deal + 1}"'
        assert (action in page) == (deal < 3)
    assert f'href="/class/{room.code}/tournament/1"' in page
    answer = phone.post("/tournament/1/deal/4", move="deal", step=0)
    assert answer.status_code == 422
    assert phone.get("/tournament/1/deal/0").status_code == 404


def play_page(phone: Phone, deal: int) -> str:
    """Play a deal by its page's forms alone; return the page at the end."""
    address = f"/tournament/1/deal/{deal}"
    answer = phone.post(address, page=True, move="deal", step=0)
    assert answer.status_code == 303
    while forms := re.findall(
        rf'action="([^"]+/deal/{deal})"[^>]*>\s*<input type="hidden" name="step" value="(\d+)">'
        r'\s*<button name="move" value="(\w+)"',
        page := phone.get(address).text,
    ):
        _, step, move = forms[-1]
        assert phone.post(address, page=True, move=move, step=step).status_code == 303
    return page


def test_a_finished_deal_stays_as_it_is(room: Room) -> None:
    make(room, deals=2)
    phone = room.phones[0]
    table = play_deal(phone, 1, stands_on(17))
    for step in (0, 1, table["step"]):
        for move in ("deal", "hit", "stay", "new"):
            answer = phone.post("/tournament/1/deal/1", move=move, step=step)
            assert answer.status_code == (422 if step == table["step"] else 409)
    assert phone.json("/tournament/1/deal/1") == table
    assert [one["played"] for one in room.boss.json("/tournament/1")["students"]] == [1]


def test_there_is_no_coach_no_odds_and_no_replay_before_the_end(room: Room, watch: Watch) -> None:
    room.boss.client.post("/coach", data={"table": "blackjack", "mode": "before"})
    make(room, deals=2, until=local(watch.now + HOUR))
    phone = room.phones[0]
    phone.client.post("/coach", data={"table": "blackjack", "mode": "before"})
    phone.post("/tournament/1/deal/1", move="deal", step=0)
    open_page = phone.get("/tournament/1/deal/1").text
    table = play_deal(phone, 1, stands_on(17))
    for page in (open_page, phone.get("/tournament/1/deal/1").text):
        for word in ("advice", "what-if", "/replay", "/odds", "/coach"):
            assert word not in page
    early = phone.get("/tournament/1/deal/1/replay", headers=JSON)
    assert (early.status_code, early.get_json()["error"]) == (
        422,
        "Replays open when the tournament is over.",
    )
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
    assert replayed.status_code == 200
    assert "what-if" in replayed.text
    assert "/deal/1/replay" in phone.get("/tournament/1").text


def test_nothing_leads_to_its_deals_but_the_tournament(room: Room) -> None:
    """A deal of a tournament has no id: there is no link that could be opened."""
    make(room, deals=1)
    phone = room.phones[0]
    play_all(phone, stands_on(17))
    assert not re.search(r'"/deals?/', phone.get("/tournament/1/deal/1").text)
    assert phone.client.get("/deals", headers=JSON).get_json() == {"deals": []}


# ---- Times ---------------------------------------------------------------------------------------


def test_it_opens_and_ends_at_its_times(room: Room, watch: Watch) -> None:
    make(room, **{"from": local(watch.now + HOUR)}, until=local(watch.now + 2 * HOUR))
    phone = room.phones[0]
    early = phone.post("/tournament/1/deal/1", move="deal", step=0)
    assert early.status_code == 422
    assert early.get_json()["error"].startswith("This tournament opens ")
    assert phone.json("/tournament/1")["next"] is None
    assert phone.get("/tournament/1/deal/1").status_code == 303
    watch.pass_by(HOUR - 90)
    (seconds,) = re.findall(r'"refresh" content="(\d+)"', phone.get("/tournament/1").text)
    assert 88 <= int(seconds) <= 90  # then it is open
    watch.pass_by(90 - HOUR)
    watch.pass_by(HOUR)
    play_deal(phone, 1, stands_on(17))
    assert phone.post("/tournament/1/deal/2", move="deal", step=0).status_code == 200
    watch.pass_by(HOUR)
    for deal, step in ((2, 1), (3, 0)):
        late = phone.post(f"/tournament/1/deal/{deal}", move="stay", step=step)
        assert (late.status_code, late.get_json()["error"]) == (422, "This tournament is over.")
    told = room.boss.json("/tournament/1")
    assert (told["over"], told["open"]) == (True, False)
    assert [(one["played"], one["place"]) for one in told["students"]] == [(1, None)]
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
        refused = try_move(room, name)
        assert (refused.status_code, refused.get_json()["error"]) == (
            422,
            "This tournament is over.",
        )
    assert room.phones[0].get("/tournament/1/deal/1/replay").status_code == 303


def test_it_ends_with_its_class(room: Room) -> None:
    make(room)
    room.phones[0].post("/tournament/1/deal/1", move="deal", step=0)
    room.move("close")
    answer = room.phones[0].post("/tournament/1/deal/1", move="stay", step=1)
    assert answer.status_code == 422
    assert room.phones[0].json("/tournament/1")["over"] is True


def test_a_move_that_asks_for_its_page_gets_the_one_that_a_reload_shows(room: Room) -> None:
    make(room, deals=2)
    phone = room.phones[0]
    wishes = {"Prefer": "return=representation"}
    for deal in (1, 2):
        address = f"/class/{room.code}/tournament/1/deal/{deal}"
        moves, step = ["deal"], 0
        while moves:
            form = {"move": moves[-1], "step": step}
            answer = phone.client.post(address, data=form, headers=wishes)
            assert answer.status_code == 200
            assert main_of(answer.text) == main_of(phone.client.get(address).text)
            table = phone.json(f"/tournament/1/deal/{deal}")
            moves, step = [move["name"] for move in table["moves"]], table["step"]


def main_of(page: str) -> str:
    """Return the content of a page."""
    (found,) = re.findall(r"<main.*</main>", page, re.DOTALL)
    return str(found)
