"""Joining, rejoining and leaving: names, codes, locks and bans."""

import re
import time

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.classroom import JSON, Phone, Room, Watch, open_room, refusal
from tests.support.pages import page_of, values
from tests.support.tournaments import make, play_all, play_deal, stands_on
from web.classroom.core.codes import ALPHABET
from web.classroom.people.nicknames import WORDS, is_offered, name_key


@pytest.mark.parametrize("spelling", ["{}", " {} ", "{0[0]}{0[1]}-{0[2]}{0[3]} {0[4]}", "low"])
def test_a_code_is_read_however_it_is_typed(room: Room, spelling: str) -> None:
    typed = room.code.lower() if spelling == "low" else spelling.format(room.code)
    client = room.app.test_client()
    answer = client.post("/class", data={"code": typed})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")
    answer = client.get(f"/J/{typed.strip()}")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")
    assert 'name="code"' in client.get("/j").text


def test_an_unknown_code_is_said_to_be_unknown(room: Room) -> None:
    client = room.app.test_client()
    answer = client.post("/class", data={"code": "k7qxv"})
    assert answer.status_code == 404
    assert "No class has the code K7QXV. Check the code on the big screen." in answer.text
    for path in ("", "/bingo", "/dashboard", "/projector", "/me.json", "/qr.svg"):
        assert client.get(f"/class/22222{path}").status_code == 404
    for nonsense in ("K7QX", "HELLO", "<b>", "K7QXBB", "%00", "é"):
        assert client.get(f"/class/{nonsense}").status_code == 404


def test_twenty_unknown_codes_a_minute_and_a_session(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    guesser, student = room.app.test_client(), room.phones[0]
    now = time.time()
    monkeypatch.setattr(
        "web.classroom.core.codes.time.time", lambda: now
    )  # so that no minute ends during the test
    tries = [guesser.post("/class", data={"code": f"2222{sign}"}) for sign in ALPHABET]
    assert [one.status_code for one in tries] == [404] * 20 + [429] * 3
    assert tries[-1].headers["Retry-After"] == "60"
    assert guesser.post("/class", data={"code": room.code}).status_code == 429
    # Another student with the same IP address is not rejected.
    assert student.get().status_code == 200
    assert room.app.test_client().post("/class", data={"code": room.code}).status_code == 303
    monkeypatch.setattr("web.classroom.core.codes.time.time", lambda: now + 61)
    assert guesser.post("/class", data={"code": room.code}).status_code == 303


def test_looking_at_unknown_classes_is_counted_too(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    student, now = room.phones[0].client, time.time()
    monkeypatch.setattr("web.classroom.core.codes.time.time", lambda: now)
    tries = [student.get(f"/class/2222{sign}/bingo") for sign in ALPHABET]
    assert [one.status_code for one in tries] == [404] * 20 + [429] * 3


def test_one_press_joins(room: Room) -> None:
    phone = room.visitor()
    page = phone.get().text
    found = page_of(page).select('[name="offer"]')
    offers = [(str(offer["value"]), offer.has_attr("checked")) for offer in found]
    assert len(offers) == len(set(offers)) == 6
    assert [name for name, checked in offers if checked] == [offers[0][0]]
    assert all(is_offered(name) for name, _ in offers)
    (receipt,) = values(page, '[name="receipt"]', "value")
    places = [
        page.index(said)
        for said in ("sees how you play", "sees a real name", "Your data is stored until")
    ]
    assert places == sorted(places)  # The information about stored data precedes the first field.
    assert places[-1] < page.index("<input", page.index("<main"))
    answer = phone.post("/join", page=True, offer=offers[0][0], receipt=receipt, real="")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")
    student = phone.json()["student"]
    assert (student["name"], student["number"]) == (offers[0][0], 7)
    assert re.fullmatch(f"[{ALPHABET}]{{4}}", student["rejoin"])


def test_offers_are_in_the_readers_language_and_not_taken(room: Room) -> None:
    taken = {name_key(phone.name) for phone in room.phones}
    phone = room.visitor()
    for language in ("de", "en"):
        adjectives, nouns = WORDS[language]
        headers = {**JSON, "Accept-Language": language}
        for name in phone.get(headers=headers).get_json()["offers"]:
            adjective, _, noun = name.partition(" ")
            assert adjective in adjectives
            assert noun in nouns
            assert name_key(name) not in taken


def test_name_taken_in_between_is_reported(room: Room) -> None:
    taken = room.phones[0].name
    phone = room.visitor()
    answer = phone.post("/join", offer=taken)
    assert refusal(answer) == f"{taken} was just taken. Here are six others."
    assert len(answer.get_json()["offers"]) == 6
    page = phone.post("/join", page=True, offer=taken, real="Ole Ostermann")
    assert page.status_code == 422
    assert "Ole Ostermann" not in page.text  # No response contains a real name.
    assert phone.json()["student"] is None


@pytest.mark.parametrize("offer", ["", "Rude Word", "quiet otter"])
def test_only_offered_names_are_accepted(room: Room, offer: str) -> None:
    sent = {"offer": offer} if offer else {"name": "Chosen Freely"}
    assert refusal(room.visitor().post("/join", **sent)) == (
        "Choose one of the nicknames that are offered."
    )


def test_a_real_name_is_asked_for_as_the_instructor_wants(school: flask.Flask) -> None:
    must, no = open_room(school, real="must"), open_room(school, real="no")
    phone = must.visitor()
    offer = phone.json()["offers"][0]
    for sent, why in (("", "real name"), ("   ", "real name"), ("x" * 81, "80")):
        assert why in refusal(phone.post("/join", offer=offer, real=sent))
    phone.join(real="  Ole   Ostermann ")
    no.newcomer(real="Not Asked For")
    for room, kept in ((must, "Ole Ostermann"), (no, None)):
        students = room.boss.json("/dashboard?names=yes")["students"]
        assert [student["real"] for student in students] == [kept]


def test_repeated_join_after_a_lost_answer_joins_once(room: Room) -> None:
    sent = {"offer": "Quiet Otter", "receipt": "c0ffee" * 5, "real": "Ole"}
    lost, phone = room.visitor(), room.visitor()
    assert lost.post("/join", **sent).status_code == 200
    for _ in range(2):
        document = phone.post("/join", **sent).get_json()
        assert document["student"]["name"] == "Quiet Otter"
    assert len(room.desk()["students"]) == 7
    other = room.visitor().post("/join", **{**sent, "receipt": "another"})
    assert "was just taken" in refusal(other)


def test_a_locked_class_keeps_its_students_and_takes_no_others(room: Room) -> None:
    room.move("lock")
    phone = room.visitor()
    assert refusal(phone.post("/join", offer="Quiet Otter")) == "This class is closed to newcomers."
    page = phone.post("/join", page=True, offer="Quiet Otter").text
    assert page.count("This class is closed to newcomers.") == 1
    assert 'name="offer"' not in page
    screen = room.visitor().get("/projector?show=join").text
    assert ("This class is closed to newcomers." in screen, "qr.svg" in screen) == (True, False)
    assert f'action="/class/{room.code}/rejoin"' in page
    known = room.phones[0]
    assert room.visitor().post("/rejoin", name=known.name, code=known.rejoin).status_code == 200
    room.move("unlock")
    assert phone.join()["student"]["number"] == 7


def test_removed_student_may_join_again(room: Room) -> None:
    phone = room.phones[2]
    room.move("remove", student=3)
    assert phone.json()["student"] is None
    assert [one["number"] for one in room.desk()["students"]] == [1, 2, 4, 5, 6]
    old = room.visitor()
    assert "do not belong together" in refusal(
        old.post("/rejoin", name=phone.name, code=phone.rejoin)
    )
    assert phone.join(offer=phone.name)["student"]["number"] == 7


def test_banned_student_does_not_return_by_reloading(room: Room) -> None:
    phone = room.phones[2]
    room.move("ban", student=3)
    assert phone.get().status_code == 403
    assert phone.get("/bingo", headers=JSON).status_code == 403
    assert phone.post("/join", offer="Quiet Otter").status_code == 403
    assert phone.post("/leave", what="step-in").status_code == 422
    assert phone.post("/rejoin", name=phone.name, code=phone.rejoin).status_code == 422
    friend = room.phones[0]
    assert phone.post("/rejoin", name=friend.name, code=friend.rejoin).status_code == 422
    assert [one.get("state") for one in room.desk()["students"]][2] == "banned"
    room.move("unban", student=3)
    assert phone.json()["student"]["state"] == "out"


def test_a_nickname_is_changed_at_once_and_the_student_is_told(room: Room, watch: Watch) -> None:
    phone = room.phones[0]
    name = room.move("rename", student=1)["students"][0]["name"]
    assert (name != phone.name, is_offered(name)) == (True, True)
    assert f"Your instructor renamed you: you are {name} now." in phone.get().text
    watch.pass_by(2 * 3_600)
    assert "renamed" not in phone.get().text
    room.move("rename", student=1, name="Ann-Kathrin 7")
    assert phone.json()["student"]["name"] == "Ann-Kathrin 7"
    for taken in ("ANN-KATHRIN 7", "Ann Kathrin 7"):
        refused = refusal(room.try_move("rename", student=2, name=taken))
        assert refused == f"The name {taken} is already taken in this class."


def test_a_phone_without_cookies_comes_back_by_its_code(room: Room) -> None:
    phone = room.phones[1]
    back = room.visitor()
    typed = f" {phone.rejoin[:2].lower()} {phone.rejoin[2:].lower()}"
    document = back.post("/rejoin", name=phone.name.upper(), code=typed).get_json()
    assert document["student"]["number"] == phone.number
    assert back.json() == phone.json()  # Both browsers belong to this student.
    assert len(room.desk()["students"]) == 6


def test_a_student_has_twelve_browsers(room: Room) -> None:
    phone = room.phones[0]
    answers = [
        room.visitor().post("/rejoin", name=phone.name, code=phone.rejoin) for _ in range(13)
    ]
    assert [answer.status_code for answer in answers] == [200] * 11 + [422] * 2
    assert "12 browsers" in refusal(answers[-1])
    again = phone.post("/rejoin", name=phone.name, code=phone.rejoin)
    assert again.status_code == 200  # This browser is already one of the student's twelve browsers.


def test_the_classes_of_a_browser_are_listed(school: flask.Flask) -> None:
    first, second = open_room(school, title="First"), open_room(school, title="Second")
    client = school.test_client()
    for room in (first, second):
        Phone(client, room.code).join()
    document = client.get("/class", headers=JSON).get_json()["classes"]
    assert [(one["class"], one["title"]) for one in document] == [
        (second.code, "Second"),
        (first.code, "First"),
    ]
    page = client.get("/class").text
    assert page.index("First") < page.index("Join another class") < page.index('name="code"')
    assert "Join another class" not in school.test_client().get("/class").text
    first.move("forget")
    second.move("ban", student=1)
    assert client.get("/class", headers=JSON).get_json() == {"classes": []}


def test_a_session_lives_as_long_as_somebody_comes(school: flask.Flask, watch: Watch) -> None:
    """Students send no forms in automatic rounds, so GET requests must renew the cookie."""
    room = open_room(school, 1)
    phone = room.phones[0]
    watch.pass_by(86_400)
    cookie = f"Max-Age={130 * 86_400};"
    assert cookie in phone.get().headers["Set-Cookie"]
    assert "Set-Cookie" not in phone.get().headers  # The cookie is renewed only once per day.
    for _ in range(3):
        watch.pass_by(100 * 86_400)
        assert phone.json()["student"]["number"] == 1
        room.desk()


def test_student_can_download_all_stored_data(room: Room) -> None:
    phone = room.newcomer(real="Ole Ostermann")
    room.deal(by_hand="Y")
    room.call(3)
    phone.claim()
    phone.post("/bingo", move="mark", place=3, on="Y")
    room.move("void", reason="the bell")
    kept = phone.json("/me.json")
    (student,) = kept["rows"]["students"]
    assert (student["number"], student["name"], student["real_name"]) == (7, phone.name, True)
    (card,) = kept["rows"]["class_cards"]
    assert (card["round"], card["card"], card["from_call"]) == (1, 7, 0)
    (claim,) = kept["rows"]["class_claims"]
    assert (claim["card"], claim["call"], claim["since"]) == (7, 3, 0)
    assert (student["marks_round"], student["marks"]) == (1, 8)
    assert len(kept["rows"]["class_browsers"]) == 1
    assert {*kept["rows"]} >= {"student_days", "student_mistakes", "student_dailies"}
    assert room.phones[0].json("/me.json")["rows"]["class_claims"] == []
    assert "Ostermann" not in phone.get("/me.json").text
    assert room.visitor().get("/me.json").status_code == 403


def pages_links(client: FlaskClient, path: str) -> list[str]:
    return re.findall(r'<a (?:class="on-now" )?href="([^"]+)"', client.get(path).text)


def test_a_browser_finds_its_classes_again(school: flask.Flask) -> None:
    """The bar with a student's classes is shown in the lobby and on the classes' pages.

    The lobby begins with the newest class and its current activity.
    """
    room = open_room(school, 1)
    helper, student = room.holder(), room.phones[0]
    for phone, end in ((room.boss, "/dashboard"), (helper, "/dashboard"), (student, "")):
        for path in ("/", "/class", "/class/new", "/class/instructor"):
            assert f"/class/{room.code}{end}" in pages_links(phone.client, path)
    make(room, deals="2")
    base = f"/class/{room.code}"

    def found() -> list[str]:
        links = pages_links(student.client, "/")
        return links[links.index(base) :][:3]

    room.deal()
    assert found() == [base, f"{base}/bingo", f"{base}/tournament/1"]
    room.move("void")
    room.vote("ask", table="blackjack", hand="10 6", upcard="10")
    assert found() == [base, f"{base}/vote", f"{base}/tournament/1"]
    play_deal(student, 1, stands_on(17))
    assert found() == [base, f"{base}/vote", f"{base}/tournament/1/deal/2"]
    play_all(student, stands_on(17))
    assert "all deals played" in student.get("/tournaments").text
    assert base not in pages_links(school.test_client(), "/")
