"""The dashboard: who may, what is refused, what is listed."""

import re
from typing import Any

import flask
import pytest

from cardgames.class_bingo.card import Kind
from cardgames.class_bingo.expectations import expected
from tests.support.classroom import JSON, Phone, Room, open_room


def test_only_who_holds_it_sees_the_dashboard(room: Room) -> None:
    for phone in (room.phones[0], room.visitor(), open_room(room.app).boss):
        other = Phone(phone.client, room.code)
        for path in ("", "?names=yes", "/students.csv", "/rounds.csv"):
            answer = other.get(f"/dashboard{path}")
            assert answer.status_code == 403
            assert room.phones[1].name not in answer.text
        assert other.post("/dashboard", move="forget", step=1).status_code == 403
    assert len(room.desk()["students"]) == 6


def test_a_move_needs_the_step_of_the_class(room: Room) -> None:
    for step in ("", "0", "2", "x", "01"):
        answer = room.boss.post("/dashboard", move="lock", step=step)
        assert answer.status_code == 409
        assert answer.get_json()["error"].startswith("That page was out of date.")
        assert answer.get_json()["step"] == 1
    page = room.boss.post("/dashboard", page=True, move="lock", step="7")
    assert page.status_code == 409
    assert 'role="alert"' in page.text
    assert room.try_move("lock").status_code == 200
    assert room.desk()["step"] == 2


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("", {}),
        ("dance", {}),
        ("call", {"call": "1"}),
        ("auto", {"every": "8"}),
        ("pause", {}),
        ("go-on", {}),
        ("end", {}),
        ("void", {}),
        ("paper", {"cards": "3"}),
        ("unlock", {}),
        ("show", {"show": "cards"}),
        ("show", {}),
        ("prolong", {"days": "2"}),
        ("deal", {"mode": "X"}),
        ("deal", {"every": "7"}),
        ("deal", {"speed": "yes"}),
        ("deal", {"by_hand": "1"}),
        ("rename", {}),
        ("remove", {"student": "99"}),
        ("ban", {"student": "-1"}),
        ("unban", {"student": "1"}),
        ("rejoin-code", {"student": "one"}),
        ("claim", {"card": "1"}),
    ],
)
def test_what_is_not_possible_is_refused_and_changes_nothing(
    room: Room, name: str, fields: dict[str, str]
) -> None:
    before = room.desk()
    answer = room.try_move(name, **fields)
    assert answer.status_code == 422
    assert answer.get_json().pop("error")
    assert room.desk() == before


def test_what_is_not_possible_in_a_round_is_refused(room: Room) -> None:
    room.deal()
    for name, every in (("deal", ""), ("end", ""), ("go-on", ""), ("auto", "7"), ("pause", "")):
        assert room.try_move(name, every=every).status_code == 422, name
    room.call_until()
    fields = {"call": "50", "every": "8", "cards": "9"}
    for name in ("deal", "call", "auto", "pause", "paper"):
        assert room.try_move(name, **fields).status_code == 422, name
    assert room.desk()["round"]["phase"] == "bingo"


def test_the_first_thing_in_main_is_call_and_at_bingo_nothing_is_pressed_there(room: Room) -> None:
    room.deal()
    page = room.boss.get("/dashboard").text
    main = page[page.index("<main") :]
    first = re.search(r"<(?:a |button|input type=\"text\"|select|textarea)[^>]*>", main)
    assert first
    assert 'class="primary call-now"' in first[0]
    assert 'data-key="n"' in first[0]
    room.call_until()
    page = room.boss.get("/dashboard").text
    assert '<p class="call-now off">BINGO!' in page
    assert 'data-key="n"' not in page
    assert 'value="call"' not in page


def test_what_destroys_asks_on_a_page_of_its_own(room: Room) -> None:
    page = room.boss.get("/dashboard?student=2").text
    asked = set(re.findall(r'href="[^"]*\?ask=([a-z-]+)', page))
    assert asked == {"ban", "close", "forget", "forget-names", "remove", "remove-since"}
    for name in asked:
        assert f'name="move" value="{name}"' not in page
        ask = room.boss.get(f"/dashboard?ask={name}&student=2&since=0").text
        assert f'name="move" value="{name}"' in ask
        assert f'href="/class/{room.code}/dashboard"' in ask
    assert room.boss.get("/dashboard?ask=ban&student=77").status_code == 422
    assert len(room.desk()["students"]) == 6
    assert room.boss.get("/dashboard?ask=dance").status_code == 200


def test_real_names_are_shown_on_request_alone(room: Room) -> None:
    number, name = 7, room.newcomer(real="Ole Ostermann").name
    for path in ("", "?names=no", "?names=YES", "?student=7"):
        page = room.boss.get(f"/dashboard{path}").text
        assert ("Ostermann" in page, "Show real names" in page) == (False, True)
    shown = room.boss.get("/dashboard?names=yes").text
    assert "Ole Ostermann" in shown
    assert "Real names are on this page. Is it on a shared screen?" in shown
    assert room.desk()["students"][6] == {"number": number, "name": name, "here": True}
    assert room.boss.json("/dashboard?names=yes")["students"][6]["real"] == "Ole Ostermann"
    address, lock = f"/class/{room.code}/dashboard?names=yes", {"move": "lock", "step": "1"}
    assert room.boss.client.post(address, data=lock).headers["Location"] == address


def test_a_list_tells_how_many_are_missing_and_who_on_request(room: Room) -> None:
    room.newcomer(real="Ole Ostermann")
    room.newcomer(real="müller ANNA")
    room.move("roster", names="Ole Ostermann\n\n  Müller,  Anna \nPia Pohl\nZoë Zander\n")
    page = room.boss.get("/dashboard").text
    assert "2 of your list have not joined." in page
    assert "Pohl" not in page
    shown = room.boss.get("/dashboard?names=yes").text
    assert "Pia Pohl, Zoë Zander" in shown
    assert "Pohl" not in room.boss.get("/dashboard", headers=JSON).text
    room.newcomer(real="pia pohl")
    assert "One of your list has not joined." in room.boss.get("/dashboard").text
    room.newcomer(real="Zoe Zander")
    assert "All of your list have joined." in room.boss.get("/dashboard").text
    assert room.try_move("roster", names="a\x00b").status_code == 422
    assert room.try_move("roster", names="x\n" * 1_001).status_code == 422
    room.move("roster", names="")
    assert "of your list" not in room.boss.get("/dashboard").text


def test_a_closed_class_takes_nobody_and_deals_nothing(room: Room) -> None:
    room.deal()
    document = room.move("close")
    assert document["round"]["phase"] == "void"
    names = {move["name"] for move in document["moves"]}
    assert not names & {"deal", "lock", "unlock", "close", "roster", "call"}
    assert {"forget", "forget-names", "show", "hand-on", "prolong"} <= names
    for name, fields in (("deal", {}), ("close", {})):
        assert room.try_move(name, **fields).status_code == 422
    assert "This class is over." in room.phones[0].get().text
    assert "This class is over." in room.visitor().get().text
    assert room.visitor().post("/join", offer="Quiet Otter").status_code == 422


def test_a_forgotten_class_is_gone(room: Room) -> None:
    document = room.try_move("forget").get_json()
    assert document == {"class": room.code, "forgotten": True}
    for phone in (room.boss, *room.phones):
        for path in ("", "/bingo", "/dashboard", "/updates", "/projector"):
            assert phone.get(path).status_code == 404


def test_the_deal_form_says_what_to_expect(room: Room) -> None:
    page = room.boss.get("/dashboard").text
    assert "What to expect with 6 cards" in page
    cells = re.findall(r'<td class="([LCF][NY])"><b>about (\d+) calls?</b>', page)
    assert len(cells) == 6
    for cell, calls in cells:
        kind = Kind(cell[0], cell[1] == "Y")  # type: ignore[arg-type]
        assert int(calls) == round(expected(kind, 6).calls)
    assert "Deal 6 cards" in page
    room.deal(mode="C", speed="Y", by_hand="Y", every="12")
    room.move("void")
    again = room.boss.get("/dashboard").text
    for field, value in (("mode", "C"), ("speed", "Y"), ("by_hand", "Y"), ("every", "12")):
        assert re.search(rf'name="{field}" value="{value}" checked', again)


def names_in(page: Any) -> list[str]:
    return re.findall(r"<th scope=\"row\">([^<]+)</th>", page)


def test_nothing_moves_under_the_pointer(room: Room) -> None:
    before = names_in(room.boss.get("/dashboard").text)
    room.newcomer()
    room.phones[0].post("/leave", what="step-out")
    room.phones[3].get("/bingo")
    after = names_in(room.boss.get("/dashboard").text)
    assert after[: len(before)] == before
    assert len(after) == len(before) + 1


def test_the_dashboard_of_a_large_class_is_a_page_of_fifty(school: flask.Flask) -> None:
    room = open_room(school, nicknames="free", real="may")
    for number in range(1, 121):
        sent = {"name": f"Student {number:03}", "real": f"Real {number:03}"}
        assert room.visitor().post("/join", **sent).status_code == 200
    pages = [room.boss.get(f"/dashboard?page={page}").text for page in (1, 2, 3, 4)]
    listed = [re.findall(r'<tr id="student-(\d+)"', page) for page in pages]
    assert [len(rows) for rows in listed[:3]] == [50, 50, 20]
    assert [int(row) for rows in listed[:3] for row in rows] == list(range(1, 121))
    assert listed[3] == listed[2]
    for page, ways in zip(pages, ({"next"}, {"prev", "next"}, {"prev"}), strict=False):
        assert set(re.findall(r'rel="(prev|next)"', page)) == ways
        assert "120 students" in page
    found = room.boss.get("/dashboard?search=student+07&names=yes").text
    assert re.findall(r'<tr id="student-(\d+)"', found) == [str(n) for n in range(70, 80)]
    assert "Real 077" in found
    assert "Real 001" not in found
    assert "Nobody" not in (none := room.boss.get("/dashboard?search=nobody").text)
    assert "No nickname or number holds that." in none
    details = re.search(r'href="([^"]*student=77)#', room.boss.get("/dashboard?page=2").text)
    assert details
    opened = room.boss.client.get(details[1].replace("&amp;", "&")).text
    assert opened.count('class="detail"') == 1
    assert 'action="/class/' + room.code + '/dashboard?page=2"' in opened
    answer = room.boss.client.post(
        f"/class/{room.code}/dashboard?page=2&search=student",
        data={"move": "rename", "student": "77", "name": "Zoë", "step": "1"},
    )
    assert answer.headers["Location"] == f"/class/{room.code}/dashboard?search=student&page=2"
    assert len(room.desk()["students"]) == 120
