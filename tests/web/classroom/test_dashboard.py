"""The dashboard: its users, rejected requests, and its lists."""

import csv
import re
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import flask
import pytest

from tests.support.classroom import Phone, Room, open_room
from tests.support.pages import values
from tests.support.tournaments import make, play_all, stands_on
from web.classroom.core import forms

PAGES_OF_INSTRUCTORS = (
    *("/dashboard", "/dashboard?names=yes", "/dashboard/students.csv", "/roster", "/votes"),
    *("/dashboard/tournaments.csv", "/insight", "/insight?table=one-deck", "/print"),
    "/check?card=1",
)
MOVES_OF_INSTRUCTORS: tuple[tuple[str, dict[str, str]], ...] = (
    ("/dashboard", {"move": "forget"}),
    ("/insight", {"move": "drill", "table": "blackjack", "habit": "hits-hard-17"}),
    ("/tournaments", {"move": "make", "table": "blackjack", "deals": "1"}),
    ("/tournaments", {"move": "pose", "table": "blackjack", "theme": "own", "hands": "10 6 / Q"}),
    ("/votes", {"move": "close-vote"}),
)


def test_pages_and_moves_of_instructors_are_theirs_alone(room: Room) -> None:
    before = room.desk()
    for phone in (room.phones[0], room.visitor(), open_room(room.app).boss):
        other = Phone(phone.client, room.code)
        for path in PAGES_OF_INSTRUCTORS:
            answer = other.get(path)
            assert (answer.status_code, room.phones[1].name in answer.text) == (403, False), path
        for path, fields in (*MOVES_OF_INSTRUCTORS, ("/roster", {"text": "Ann"})):
            assert other.post(path, step=before["step"], **fields).status_code == 403, path
    assert room.desk() == before


def test_a_move_needs_the_step_of_the_class(room: Room) -> None:
    for step in ("", "0", "2", "01"):
        answer = room.boss.post("/dashboard", move="lock", step=step)
        assert answer.status_code == 409
        assert answer.get_json()["error"].startswith("That page was out of date.")
        assert answer.get_json()["step"] == 1
    page = room.boss.post("/dashboard", page=True, move="lock", step="7")
    assert (page.status_code, 'role="alert"' in page.text) == (409, True)
    for path, fields in MOVES_OF_INSTRUCTORS:
        assert room.boss.post(path, step="0", **fields).status_code == 409, path
    assert room.try_move("lock").status_code == 200
    assert room.desk()["step"] == 2


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        *(("", {}), ("dance", {}), ("call", {"call": "1"}), ("end", {})),
        *(("paper", {"cards": "3"}), ("show", {"show": "cards"}), ("prolong", {"days": "2"})),
        *(("deal", {"mode": "X"}), ("deal", {"every": "7"}), ("rename", {})),
        *(("remove", {"student": "99"}), ("unban", {"student": "1"})),
        *(("rejoin-code", {"student": "one"}), ("claim", {"card": "1"})),
    ],
)
def test_impossible_moves_are_rejected_and_change_nothing(
    room: Room, name: str, fields: dict[str, str]
) -> None:
    before = room.desk()
    answer = room.try_move(name, **fields)
    assert answer.status_code == 422
    assert answer.get_json().pop("error")
    assert room.desk() == before


def test_impossible_moves_in_a_round_are_rejected(room: Room) -> None:
    fields = {"call": "50", "every": "7", "cards": "9"}
    room.deal()
    for name in ("deal", "end", "go-on", "auto", "pause"):
        assert room.try_move(name, **fields).status_code == 422, name
    room.call_until()
    for name in ("deal", "call", "auto", "pause", "paper"):
        assert room.try_move(name, **fields).status_code == 422, name


def test_destructive_moves_ask_on_a_separate_page(room: Room) -> None:
    page = room.boss.get("/dashboard?student=2").text
    asks = values(page, 'a[href*="?ask="]', "href")
    asked = {parse_qs(urlsplit(address).query)["ask"][0] for address in asks}
    assert asked == {"ban", "close", "forget", "forget-names", "remove", "remove-since"}
    for name in asked:
        assert f'name="move" value="{name}"' not in page
        ask = room.boss.get(f"/dashboard?ask={name}&student=2&since=0").text
        assert f'name="move" value="{name}"' in ask
        assert f'href="/class/{room.code}/dashboard"' in ask
    assert room.boss.get("/dashboard?ask=ban&student=77").status_code == 422


def test_real_names_are_shown_on_request_alone(room: Room) -> None:
    number, name = 7, room.newcomer(real="Ole Ostermann").name
    for path in ("", "?names=no", "?names=YES", "?student=7"):
        page = room.boss.get(f"/dashboard{path}").text
        assert ("Ostermann" in page, "Show real names" in page) == (False, True)
    shown = room.boss.get("/dashboard?names=yes").text
    assert "Ole Ostermann" in shown
    assert "Real names are shown on this page. Can other people see your screen?" in shown
    assert room.desk()["students"][6] == {"number": number, "name": name, "here": True}
    assert room.boss.json("/dashboard?names=yes")["students"][6]["real"] == "Ole Ostermann"


def test_list_counts_missing_students_and_names_them_on_request(room: Room) -> None:
    room.newcomer(real="Ole Ostermann")
    room.newcomer(real="müller ANNA")
    room.move("roster", names="Ole Ostermann\n\n  Müller,  Anna \nPia Pohl\nZoë Zander\n")
    page = room.boss.get("/dashboard").text
    assert "2 students on your list have not joined." in page
    assert "Pohl" not in page
    shown = room.boss.get("/dashboard?names=yes").text
    assert "Pia Pohl, Zoë Zander" in shown
    room.newcomer(real="pia pohl")
    assert "One student on your list has not joined." in room.boss.get("/dashboard").text
    room.newcomer(real="Zoe Zander")
    assert "All students on your list have joined." in room.boss.get("/dashboard").text
    assert room.try_move("roster", names="x\n" * 1_001).status_code == 422


def test_a_closed_class_takes_nobody_and_deals_nothing(room: Room) -> None:
    room.deal()
    document = room.move("close")
    assert document["round"]["phase"] == "void"
    names = {move["name"] for move in document["moves"]}
    assert not names & {"deal", "lock", "unlock", "close", "roster", "call"}
    assert {"forget", "forget-names", "show", "hand-on", "prolong"} <= names
    assert room.try_move("deal").status_code == 422
    assert "This class has ended." in room.visitor().get().text
    assert room.visitor().post("/join", offer="Quiet Otter").status_code == 422


def test_the_dashboard_of_a_large_class_is_a_page_of_fifty(
    school: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert forms.PAGE_ROWS == 50
    monkeypatch.setattr(forms, "PAGE_ROWS", 10)
    room = open_room(school, nicknames="free")
    for number in range(1, 13):
        room.visitor().join(name=f"Student {number:03}", offer="")
    pages = [room.boss.get(f"/dashboard?page={page}").text for page in (1, 2, 3)]
    listed = [values(page, "tr", "id") for page in pages]
    assert listed[:2] == [[f"student-{n}" for n in part] for part in (range(1, 11), range(11, 13))]
    assert listed[2] == listed[1]
    found = room.boss.get("/dashboard?search=student+01").text
    assert values(found, "tr", "id") == [f"student-{n}" for n in range(10, 13)]
    answer = room.boss.client.post(
        f"/class/{room.code}/dashboard?page=2&search=student",
        data={"move": "rename", "student": "12", "name": "Zoë", "step": "1"},
    )
    assert answer.headers["Location"] == f"/class/{room.code}/dashboard?search=student&page=2"


GERMAN = {"Accept-Language": "de"}


def table(text: str, delimiter: str) -> list[list[str]]:
    return [*csv.reader(StringIO(text.removeprefix("\ufeff")), delimiter=delimiter)]


def rows(room: Room, name: str) -> list[dict[str, str]]:
    """Return the rows of a table, each keyed by column heading."""
    answer = room.boss.get(f"/dashboard/{name}.csv")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert answer.data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(StringIO(answer.data.decode("utf-8-sig"))))


def test_points_have_a_decimal_comma_in_german(room: Room) -> None:
    make(room, deals=3)
    for phone, total in zip(room.phones[:3], (21, 12, 17), strict=True):
        play_all(phone, stands_on(total))
    english = table(room.boss.get("/dashboard/tournaments.csv").text, ",")
    german = table(room.boss.get("/dashboard/tournaments.csv", headers=GERMAN).text, ";")
    assert len(german) == len(english) == 7
    with_points = 0
    for ours, theirs in zip(english, german, strict=True):
        assert len(ours) == len(theirs) == len(english[0])
        for here, there in zip(ours[10:], theirs[10:], strict=True):
            if "T" not in here:
                assert there == here.replace(".", ",")
                with_points += "," in there
    assert with_points >= 6


def test_the_students_in_a_table(room: Room) -> None:
    room.newcomer(real="=HYPERLINK(1)")
    winners = room.play()["places"][0]["names"]
    listed = rows(room, "students")
    assert [row["number"] for row in listed] == [str(n) for n in range(1, 8)]
    assert [row["nickname"] for row in listed] == [phone.name for phone in room.phones]
    assert listed[6]["real name"] == "'=HYPERLINK(1)"
    assert {row["bingo rounds"] for row in listed} == {"1"}
    assert [row["nickname"] for row in listed if row["bingo won"] == "1"] == sorted(
        winners, key=[phone.name for phone in room.phones].index
    )


def test_dashboard_links_to_both_exports(room: Room) -> None:
    exports = values(room.boss.get("/dashboard").text, 'a[href$=".csv"]', "href")
    assert len(exports) == 2
    for path in exports:
        assert room.boss.client.get(path).mimetype == "text/csv"


def test_new_dashboard_names_the_first_step(school: flask.Flask) -> None:
    """Three steps precede the first round.

    The students on the list are counted, and no page shows "0 dealt".
    """
    room = open_room(school)
    room.move("roster", names="Ada\nBen\nCleo")
    page = room.boss.get("/dashboard").text
    steps = page[page.index('class="next') : page.index("</ol>")]
    assert steps.count("<li>") == 3
    assert f"/class/{room.code}/projector" in steps
    assert "0 of 3 here" in steps
    assert not re.search("Deal 0|with 0 cards", page)
    room.newcomer()
    room.play()
    assert 'class="next' not in room.boss.get("/dashboard").text


def test_the_clock_has_a_button_for_each_interval_of_its_move(room: Room) -> None:
    room.move("deal", every="8")
    page = room.boss.get("/dashboard").text
    buttons = re.findall(r'<button name="every" value="(\d+)"\s+aria-pressed="(\w+)"', page)
    (move,) = [each for each in room.desk()["moves"] if each["name"] == "auto"]
    assert [seconds for seconds, _ in buttons] == [*move["fields"]["every"]]
    assert [seconds for seconds, pressed in buttons if pressed == "true"] == ["8"]
