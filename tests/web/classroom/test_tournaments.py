"""Tournaments as a class meets them: made, opened, played in order, ended, shown, exported."""

import csv
import io
import re
import time
from hashlib import sha256

import flask
import pytest

from tests.support.classroom import JSON, Phone, Room, Watch, open_room
from tests.support.tournaments import (
    judge,
    kept,
    local,
    make,
    play_all,
    play_deal,
    shared,
    stands_on,
)

HOUR = 3_600


def try_make(room: Room, step: int | None = None, **fields: object) -> flask.Response:
    step = room.desk()["step"] if step is None else step
    sent = {"table": "blackjack", "deals": 3, **fields}
    return room.boss.post("/tournaments", move="make", step=step, **sent)


def try_move(room: Room, name: str, step: int | None = None, **fields: object) -> flask.Response:
    step = room.desk()["step"] if step is None else step
    return room.boss.post("/tournament/1", move=name, step=step, **fields)


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


# ---- Who sees what -------------------------------------------------------------------------------


def test_the_instructor_sees_everybody_and_a_student_the_best_five_and_themselves(
    school: flask.Flask,
) -> None:
    room = open_room(school, 8)
    make(room, deals=2, ranking="result")
    for number, phone in enumerate(room.phones[:7]):
        play_all(phone, stands_on(11 + number))
    play_deal(room.phones[7], 1, stands_on(17))
    told = room.boss.json("/tournament/1")
    assert len(told["students"]) == 8
    assert (told["finished"], told["playing"]) == (7, 1)
    assert all(len(one["deals"]) == 2 for one in told["students"])
    page = room.boss.get("/tournament/1").text
    assert all(phone.name in page for phone in room.phones)
    for phone in room.phones[:7]:
        own = phone.json("/tournament/1")
        assert len(own["best"]) == 5
        named = {one["name"] for one in own["best"]}
        page = phone.get("/tournament/1").text
        for other in room.phones:
            assert (other.name in page) == (other.name in named or other is phone)
    assert "students" not in own
    midway = room.phones[7].json("/tournament/1")
    assert all("deals" not in one for one in midway["best"])
    assert midway["you"]["place"] is None


def test_the_big_screen_names_the_best_five_or_nobody(school: flask.Flask) -> None:
    room = open_room(school, 7)
    make(room, title="Warm-up", deals=1, ranking="result")
    screen = room.visitor()
    assert "Nobody has finished yet" in screen.get("/projector?show=standings").text
    for phone in room.phones[:6]:
        play_all(phone, stands_on(17))  # all alike
    told = screen.json("/projector?show=standings")["standings"]
    assert (told["title"], told["finished"], len(told["best"])) == ("Warm-up", 6, 5)
    page = screen.get("/projector?show=standings").text
    assert sum(phone.name in page for phone in room.phones) == 5
    assert "and 1 more with place 1" in page
    assert "One student has not finished." in page
    assert try_move(room, "screen", screen="nobody").status_code == 200
    page = screen.get("/projector?show=standings").text
    assert not any(phone.name in page for phone in room.phones)
    assert "6 have finished." in page
    assert screen.json("/projector?show=standings")["standings"]["best"] == []


def test_the_big_screen_shows_the_newest_or_the_chosen_one(room: Room, watch: Watch) -> None:
    make(room, title="First")
    make(room, title="Second")
    make(room, title="Later", **{"from": local(watch.now + HOUR)})

    def shown() -> str:
        title: str = room.visitor().json("/projector?show=standings")["standings"]["title"]
        return title

    assert shown() == "Second"
    assert try_move(room, "show").status_code == 200
    assert shown() == "First"
    assert room.visitor().json("/projector")["show"] == "standings"
    assert "on the big screen" in room.boss.get("/tournament/1").text


def test_who_finishes_is_news_for_screens_and_for_no_page_in_play(room: Room) -> None:
    make(room, deals=1)
    phone = room.phones[0]

    def versions() -> list[str]:
        return [
            phone.json(f"/updates{of}")["version"].rpartition("-")[0]
            if of == "?of=desk"
            else phone.json(f"/updates{of}")["version"]
            for of in ("", "?of=screen", "?of=desk")
        ]

    before = versions()
    play_all(phone, stands_on(17))
    after = versions()
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert after[2] != before[2]


def test_how_many_rounds_are_still_to_be_worked_out_is_said(room: Room) -> None:
    make(room, deals=2)
    phone = room.phones[0]
    play_all(phone, stands_on(17))
    told = phone.json("/tournament/1")
    assert (told["to_come"], told["you"]["place"], told["best"]) == (2, None, [])
    for who in (phone, room.boss):
        assert "2 rounds are still to be worked out." in who.get("/tournament/1").text
    assert judge(room.app) == 1
    assert phone.json("/tournament/1")["you"]["place"] == 1
    assert "still to be worked out" not in phone.get("/tournament/1").text


def test_costs_are_worked_out_in_no_request(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("asked for odds")

    with monkeypatch.context() as patch:
        patch.setattr("web.classroom.tournaments.judging.deal_costs", never)
        patch.setattr("cardgames.games.twentyone.advisor.odds", never)
        make(room, deals=2)
        play_all(room.phones[0], stands_on(17))
        for who in (room.boss, *room.phones):
            assert who.get("/tournament/1").status_code == 200
    assert judge(room.app) == 1


def test_a_job_that_got_lost_is_asked_for_again(room: Room) -> None:
    make(room, deals=2)
    jobs = room.app.extensions["class-jobs"]
    (job,) = jobs.open_jobs()
    jobs.cancel(job.number)
    play_deal(room.phones[0], 1, stands_on(17))
    assert len(jobs.open_jobs()) == 1
    play_deal(room.phones[1], 1, stands_on(17))
    assert len(jobs.open_jobs()) == 1
    judge(room.app)
    assert room.boss.json("/tournament/1")["to_come"] == 0
    play_deal(room.phones[2], 1, stands_on(17))
    assert not jobs.open_jobs()


# ---- Leaving -------------------------------------------------------------------------------------


def test_who_steps_out_plays_no_more_and_keeps_what_was_played(room: Room) -> None:
    make(room, deals=2, ranking="result")
    phone = room.phones[0]
    play_deal(phone, 1, stands_on(17))
    phone.post("/leave", what="step-out")
    answer = phone.post("/tournament/1/deal/2", move="deal", step=0)
    assert (answer.status_code, answer.get_json()["error"]) == (
        422,
        "You have stepped out: step in again to play.",
    )
    assert "step in again to play" in phone.get("/tournament/1").text
    phone.post("/leave", what="step-in")
    play_deal(phone, 2, stands_on(17))
    assert phone.json("/tournament/1")["you"]["place"] == 1


def test_who_is_forgotten_leaves_nothing(room: Room) -> None:
    make(room, deals=1, ranking="result")
    phone = room.phones[0]
    play_all(phone, stands_on(17))
    assert phone.json("/me.json")["tournaments"][0]["tournament"] == 1
    phone.post("/leave", what="forget")
    told = room.boss.json("/tournament/1")
    assert told["students"] == []
    assert phone.name not in room.boss.get("/tournament/1").text
    assert phone.get("/tournament/1").status_code == 303


# ---- The export ----------------------------------------------------------------------------------


def test_the_export_opens_in_a_spreadsheet(school: flask.Flask) -> None:
    room = open_room(school, 0)
    room.newcomer()
    room.newcomer()
    make(room, title="=1+1", deals=2, ranking="result")
    make(room, deals=1)
    play_all(room.phones[0], stands_on(17))
    answer = room.boss.get("/dashboard/tournaments.csv")
    assert answer.data.startswith(b"\xef\xbb\xbf")
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert f"{room.code}-tournaments.csv" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"))))
    assert len(rows) == 4
    first, second = rows[:2]
    assert (first["title"], first["nickname"]) == ("'=1+1", room.phones[0].name)
    assert (first["played"], first["place"]) == ("2", "1")
    assert float(first["points"]) == float(first["deal 1"]) + float(first["deal 2"])
    assert (second["played"], second["place"], second["points"]) == ("0", "", "")
    assert rows[2]["deal 2"] == ""
    for who in (*room.phones, room.visitor()):
        assert who.get("/dashboard/tournaments.csv").status_code == 403


# ---- Afterwards ----------------------------------------------------------------------------------


def test_its_deals_become_links_when_it_is_over(room: Room, watch: Watch) -> None:
    make(room, deals=2, until=local(watch.now + HOUR))
    phone, other = room.phones[:2]
    for at in (phone, room.boss):
        early = at.post("/tournament/1/deal/1/link")
        assert (early.status_code, early.get_json()["error"]) == (
            422,
            "Its deals become links when the tournament is over.",
        )
    table = play_deal(phone, 1, stands_on(17))
    watch.pass_by(HOUR + 1)
    told = phone.post("/tournament/1/deal/1/link").get_json()
    assert room.boss.post("/tournament/1/deal/1/link").get_json() == told
    assert room.boss.post("/tournament/1/deal/2/link").get_json() != told
    assert other.post("/tournament/1/deal/3/link").status_code == 404
    assert room.visitor().post("/tournament/1/deal/1/link").status_code == 403
    again = other.client.post(told["address"], data={"move": "deal", "step": 0}, headers=JSON)
    assert again.get_json()["view"]["player"]["cards"] == table["view"]["player"]["cards"][:2]


def test_the_seal_is_shown_from_the_deal_on_and_opened_at_the_end(room: Room, watch: Watch) -> None:
    make(room, deals=1, until=local(watch.now + HOUR))
    phone = room.phones[0]
    phone.post("/tournament/1/deal/1", move="deal", step=0)
    found = re.findall(r"<code>([0-9a-f]{64})</code>", phone.get("/tournament/1/deal/1").text)
    play_all(phone, stands_on(17))
    page = phone.get("/tournament/1/deal/1").text
    assert re.findall(r"<code>([0-9a-f]{64})</code>", page) == found
    assert len(found) == 1
    salt = kept(room).deal(1).salt.hex()
    order = " ".join(shared(kept(room), 1).decks()["deck"])
    assert sha256(f"{salt} {order}".encode()).hexdigest() == found[0]
