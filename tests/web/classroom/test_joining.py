"""Joining, coming back and leaving: names, codes, locks and bans."""

import re
import time

import flask
import pytest

from cardgames.cards import FULL_DECK
from tests.support.classroom import JSON, Room, Watch, open_room, refusal
from web.classroom.codes import ALPHABET
from web.classroom.nicknames import MAX_LENGTH, WORDS, is_offered, name_key
from web.http.i18n import LANGUAGES

# ---- The words of nicknames ----------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_two_lists_of_eighty_words(language: str) -> None:
    adjectives, nouns = WORDS[language]
    for words in (adjectives, nouns):
        assert len(words) == len(set(words)) == 80
        assert all(word.isalpha() and word == word.capitalize() for word in words)
    longest = max(map(len, adjectives)) + 1 + max(map(len, nouns))
    assert longest <= MAX_LENGTH
    if language == "de":
        assert all(adjective.endswith("er") for adjective in adjectives)  # the nouns are masculine
    codes = {card.value for card in FULL_DECK}
    assert not any(code in f"{a} {n}" for code in codes for a in adjectives for n in nouns)


# ---- The code ------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["{}", " {} ", "{0[0]}{0[1]}-{0[2]}{0[3]} {0[4]}", "low"])
def test_a_code_is_read_however_it_is_typed(room: Room, spelling: str) -> None:
    typed = room.code.lower() if spelling == "low" else spelling.format(room.code)
    client = room.app.test_client()
    answer = client.post("/class", data={"code": typed})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")
    assert client.post("/class", data={"code": typed}, headers=JSON).get_json() == {
        "class": room.code,
        "address": f"/class/{room.code}",
    }
    for path in (f"/j/{typed.strip()}", f"/J/{typed.strip()}"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")


def test_the_short_address_asks_for_the_code(room: Room) -> None:
    client = room.app.test_client()
    for path in ("/class", "/j", "/J"):
        assert 'name="code"' in client.get(path).text
        assert "Set-Cookie" not in client.get(path).headers


def test_an_unknown_code_is_said_to_be_unknown(room: Room) -> None:
    client = room.app.test_client()
    answer = client.post("/class", data={"code": "k7qxv"})
    assert answer.status_code == 404
    assert "No class has the code K7QXV. Look at the big screen again." in answer.text
    for path in ("", "/bingo", "/dashboard", "/projector", "/updates", "/me.json", "/qr.svg"):
        assert client.get(f"/class/22222{path}").status_code == 404
    for nonsense in ("K7QX", "HELLO", "<b>", "K7QXBB", "%00", "é"):
        assert client.get(f"/class/{nonsense}").status_code == 404


def test_twenty_unknown_codes_a_minute_and_a_session(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    guesser, student = room.app.test_client(), room.phones[0]
    tries = [guesser.post("/class", data={"code": f"2222{sign}"}) for sign in ALPHABET]
    assert [one.status_code for one in tries] == [404] * 20 + [429] * 3
    assert tries[-1].headers["Retry-After"] == "60"
    assert guesser.post("/class", data={"code": room.code}).status_code == 429
    assert "Too many codes. Wait a minute." in tries[-1].text
    # Whoever sits beside them, at the same address, is not refused.
    assert student.get().status_code == 200
    assert room.app.test_client().post("/class", data={"code": room.code}).status_code == 303
    later = time.time() + 61
    monkeypatch.setattr("web.classroom.access.time.time", lambda: later)
    assert guesser.post("/class", data={"code": room.code}).status_code == 303


def test_looking_at_unknown_classes_is_counted_too(room: Room) -> None:
    student = room.phones[0].client
    tries = [student.get(f"/class/2222{sign}/bingo") for sign in ALPHABET]
    assert [one.status_code for one in tries] == [404] * 20 + [429] * 3


# ---- Joining -------------------------------------------------------------------------------


def test_one_press_joins(room: Room) -> None:
    phone = room.visitor()
    page = phone.get().text
    offers = re.findall(r'name="offer" value="([^"]+)"( checked)?', page)
    assert len(offers) == len(set(offers)) == 6
    assert [name for name, checked in offers if checked] == [offers[0][0]]
    assert all(is_offered(name) for name, _ in offers)
    receipt = re.search(r'name="receipt" value="([0-9a-f]{32})"', page)
    assert receipt
    answer = phone.post("/join", page=True, offer=offers[0][0], receipt=receipt[1], real="")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")
    document = phone.json()
    assert set(document) == {"class", "title", "version", "student", "round"}
    assert document["student"]["name"] == offers[0][0]
    assert document["student"]["number"] == 7
    assert re.fullmatch(f"[{ALPHABET}]{{4}}", document["student"]["rejoin"])
    assert offers[0][0] in phone.get().text


def test_the_terms_stand_before_the_first_field(school: flask.Flask) -> None:
    lines = [
        "Your instructor sees how you play. Only rounds from now on count.",
        "The big screen may show your nickname.",
        "Only your instructor sees a real name.",
        "Kept until 14 days after the class was last used, or until you press Forget me.",
    ]
    page = open_room(school, real="may").visitor().get().text
    places = [page.index(line) for line in lines]
    assert places == sorted(places)
    assert places[-1] < page.index("<input", page.index("<main"))
    without = open_room(school, real="no", days="1").visitor().get().text
    assert lines[2] not in without
    assert 'name="real"' not in without
    assert "Kept until one day after the class was last used" in without
    must = open_room(school, real="must").visitor().get().text
    assert re.search(r'name="real"[^>]* required', must)


def test_offers_are_in_the_readers_language_and_not_taken(room: Room) -> None:
    taken = {name_key(phone.name) for phone in room.phones}
    phone = room.visitor()
    for language in ("de", "en"):
        adjectives, nouns = WORDS[language]
        for _ in range(20):
            headers = {**JSON, "Accept-Language": language}
            offers = phone.get(headers=headers).get_json()["offers"]
            for name in offers:
                adjective, _, noun = name.partition(" ")
                assert adjective in adjectives
                assert noun in nouns
                assert name_key(name) not in taken


def test_a_name_that_was_taken_meanwhile_is_said_to_be(room: Room) -> None:
    taken = room.phones[0].name
    phone = room.visitor()
    answer = phone.post("/join", offer=taken)
    assert refusal(answer) == f"{taken} was just taken. Here are six others."
    assert len(answer.get_json()["offers"]) == 6
    page = phone.post("/join", page=True, offer=taken, real="Ole Ostermann")
    assert page.status_code == 422
    assert "Ole Ostermann" not in page.text  # a real name is in no answer
    assert phone.json()["student"] is None


@pytest.mark.parametrize("offer", ["", "Rude Word", "Quiet", "quiet otter", "Quiet  Otter"])
def test_only_offered_names_can_be_had_where_they_are_offered(room: Room, offer: str) -> None:
    sent = {"offer": offer} if offer else {"name": "Chosen Freely"}
    assert refusal(room.visitor().post("/join", **sent)) == (
        "Choose one of the nicknames that are offered."
    )


def test_a_free_name_can_be_left_to_the_offer(school: flask.Flask) -> None:
    room = open_room(school, nicknames="free")
    document = room.visitor().post("/join", name="", offer="Quiet Otter").get_json()
    assert document["student"]["name"] == "Quiet Otter"
    document = room.visitor().post("/join", name="Quiet Ottilie", offer="Brave Heron").get_json()
    assert document["student"]["name"] == "Quiet Ottilie"


def test_a_real_name_is_asked_for_as_the_instructor_wants(school: flask.Flask) -> None:
    must, no = open_room(school, real="must"), open_room(school, real="no")
    phone = must.visitor()
    offer = phone.json()["offers"][0]
    for sent, why in (("", "real name"), ("   ", "real name"), ("x" * 81, "80")):
        assert why in refusal(phone.post("/join", offer=offer, real=sent))
    phone.join(real="  Ole   Ostermann ")
    no.newcomer(real="Not Asked For")
    for room, kept in ((must, "Ole Ostermann"), (no, None)):
        names = room.boss.json("/dashboard?names=yes")["students"]
        assert [one["real"] for one in names] == [kept]


def test_a_form_joins_once_though_its_answer_was_lost_with_the_cookie(room: Room) -> None:
    sent = {"offer": "Quiet Otter", "receipt": "c0ffee" * 5, "real": "Ole"}
    lost, phone = room.visitor(), room.visitor()
    assert lost.post("/join", **sent).status_code == 200
    for _ in range(2):
        document = phone.post("/join", **sent).get_json()
        assert document["student"]["name"] == "Quiet Otter"
    document = room.phones[0].post("/join", **sent).get_json()
    assert document["student"]["name"] == room.phones[0].name  # a browser has one seat
    assert len(room.desk()["students"]) == 7
    other = room.visitor().post("/join", **{**sent, "receipt": "another"})
    assert "was just taken" in refusal(other)


# ---- Lock, remove, ban ---------------------------------------------------------------------


def test_a_locked_class_keeps_its_students_and_takes_no_others(room: Room) -> None:
    room.move("lock")
    phone = room.visitor()
    assert refusal(phone.post("/join", offer="Quiet Otter")) == "This class takes nobody new now."
    page = phone.get().text
    assert "This class takes nobody new now." in page
    assert 'name="offer"' not in page
    screen = room.visitor().get("/projector?show=join").text
    assert ("This class takes nobody new now." in screen, "qr.svg" in screen) == (True, False)
    assert f'action="/class/{room.code}/rejoin"' in page
    back = room.visitor()
    known = room.phones[0]
    assert back.post("/rejoin", name=known.name, code=known.rejoin).status_code == 200
    assert known.json()["student"]["name"] == known.name
    assert room.try_move("lock").status_code == 422
    room.move("unlock")
    assert phone.join()["student"]["number"] == 7


def test_who_is_removed_may_sit_down_again(room: Room) -> None:
    phone = room.phones[2]
    room.move("remove", student=3)
    assert phone.json()["student"] is None
    assert [one["number"] for one in room.desk()["students"]] == [1, 2, 4, 5, 6]
    old = room.visitor()
    assert "do not belong together" in refusal(
        old.post("/rejoin", name=phone.name, code=phone.rejoin)
    )
    assert phone.join(offer=phone.name)["student"]["number"] == 7


def test_who_is_banned_does_not_come_back_by_reloading(room: Room) -> None:
    phone = room.phones[2]
    room.move("ban", student=3)
    for _ in range(3):
        assert phone.get().status_code == 403
        assert phone.get("/bingo", headers=JSON).status_code == 403
        assert phone.post("/join", offer="Quiet Otter").status_code == 403
        assert phone.post("/leave", what="step-in").status_code == 422
    assert phone.post("/rejoin", name=phone.name, code=phone.rejoin).status_code == 422
    friend = room.phones[0]
    assert phone.post("/rejoin", name=friend.name, code=friend.rejoin).status_code == 422
    assert [one.get("state") for one in room.desk()["students"]][2] == "banned"
    assert room.try_move("ban", student=3).status_code == 422
    room.move("unban", student=3)
    assert phone.json()["student"] == {
        "number": 3,
        "name": phone.name,
        "rejoin": phone.rejoin,
        "state": "out",
    }
    assert room.try_move("unban", student=3).status_code == 422


def test_a_nickname_is_changed_at_once_and_the_student_is_told(room: Room, watch: Watch) -> None:
    phone = room.phones[0]
    name = room.move("rename", student=1)["students"][0]["name"]
    assert (name != phone.name, is_offered(name)) == (True, True)
    assert f"Your instructor renamed you: you are {name} now." in phone.get().text
    watch.pass_by(2 * 3_600)
    assert "renamed" not in phone.get().text
    room.move("rename", student=1, name="Ann-Kathrin 7")
    assert phone.json()["student"]["name"] == "Ann-Kathrin 7"
    for known, status in ((name, 422), ("ann-kathrin 7", 200)):
        answer = room.visitor().post("/rejoin", name=known, code=phone.rejoin)
        assert answer.status_code == status
    for taken in ("ANN-KATHRIN 7", "Ann Kathrin 7"):
        refused = refusal(room.try_move("rename", student=2, name=taken))
        assert refused == f"Somebody in this class is called {taken}."
    assert room.try_move("rename", student=2, name="x").status_code == 422
    assert room.try_move("rename", student=99).status_code == 422
