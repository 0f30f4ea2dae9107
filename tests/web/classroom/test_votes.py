"""Votes: each answer counts once and remains secret, and changes are verified by counting."""

from typing import Any, Final

import flask
import pytest
from werkzeug.test import TestResponse

from tests.support.classroom import Phone, Room, class_rows, open_room, refusal
from tests.support.pages import values

SIXTEEN: Final = {"table": "blackjack", "hand": "10 6", "upcard": "10"}
"""At Blackjack the dealer wins ties, so standing is better: -0.58026191 against -0.60515194. These
are the reference numbers of ``cardgames.odds``.
"""


def answer(phone: Phone, choice: str, sure: int = 2, **fields: Any) -> TestResponse:
    """Answer the newest vote."""
    asked = phone.json("/vote")["vote"]
    sent = {"vote": asked["number"], "ballot": asked["ballot"], "choice": choice, "sure": sure}
    return phone.post("/vote", **(sent | fields))


@pytest.fixture
def many(school: flask.Flask) -> Room:
    return open_room(school, 12)


def test_solution_has_the_changes_and_both_values(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    for ballot in (("hit", "hit", "stay", "stay"), ("stay", "hit", "hit")):
        for phone, choice in zip(many.phones, ballot, strict=False):
            for sent in ("hit", choice):  # The last answer counts.
                assert answer(phone, sent).status_code == 200
        many.vote("close-vote")
        if len(ballot) == 4:
            many.vote("second")
    shown = many.vote("solve")["vote"]
    counts = [{name: bar["number"] for name, bar in shown["bars"][one].items()} for one in "12"]
    assert counts == [{"hit": 2, "stay": 2}, {"hit": 2, "stay": 1}]
    assert shown["changes"] == {"better": 1, "worse": 1, "of": 3}
    assert shown["choices"] == {"hit": "Hit", "stay": "Stand"}
    solution = shown["solution"]
    assert solution["right"] == "stay"
    assert solution["stay"]["ev"] == pytest.approx(-0.58026191, abs=1e-8)
    assert solution["hit"]["ev"] == pytest.approx(-0.60515194, abs=1e-8)


def test_bars_wait_for_the_instructor_and_for_three(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    for phone in many.phones[:2]:
        answer(phone, "hit")
    assert many.boss.json("/votes")["vote"]["answered"] == 2
    many.vote("close-vote")
    assert many.boss.json("/projector")["vote"]["bars"] == {}
    assert many.vote("bars")["vote"]["bars"] == {"1": None}
    assert "Fewer than three" in many.phones[5].get("/vote").text
    many.vote("second")
    for phone in many.phones[:3]:
        answer(phone, "stay")
    assert many.vote("close-vote")["vote"]["bars"] == {}
    bars = many.vote("bars")["vote"]["bars"]
    assert bars == {
        "2": {"hit": {"number": 0, "sure": [0, 0, 0]}, "stay": {"number": 3, "sure": [0, 3, 0]}}
    }
    solved = many.vote("solve")["vote"]
    assert solved["bars"]["1"] is None
    assert solved["changes"] is None  # Only two students have answered twice.


def test_an_answer_is_changed_until_the_vote_closes(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    phone = many.phones[0]
    answer(phone, "hit", 1)
    answer(phone, "stay", 3)
    assert phone.json("/vote")["yours"] == {"1": {"choice": "stay", "sure": 3}}
    many.vote("close-vote")
    assert "closed" in refusal(answer(phone, "hit"), 409)
    many.vote("second")
    assert "another vote" in refusal(answer(phone, "hit", ballot=1), 409)
    assert phone.json("/vote")["yours"] == {"1": {"choice": "stay", "sure": 3}}
    assert refusal(many.try_vote("ask", **SIXTEEN)), "the one that is on closes first"
    many.vote("close-vote")
    many.vote("ask", **SIXTEEN)
    assert "another vote" in refusal(answer(phone, "hit", vote=1), 409)
    assert phone.json("/vote")["yours"] == {}


@pytest.mark.parametrize(
    "fields", [{"choice": "deal"}, {"choice": ""}, {"sure": 0}, {"sure": 4}, {"sure": "x" * 900}]
)
def test_only_offered_answers_are_accepted(many: Room, fields: dict[str, Any]) -> None:
    many.vote("ask", **SIXTEEN)
    sent = {"vote": 1, "ballot": 1, "choice": "hit", "sure": 2}
    refusal(many.phones[0].post("/vote", **(sent | fields)))
    assert many.phones[0].json("/vote")["yours"] == {}


def test_only_present_students_vote(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    sent = {"vote": 1, "ballot": 1, "choice": "hit", "sure": 2}
    assert many.visitor().post("/vote", **sent).status_code == 403
    phone = many.phones[0]
    phone.post("/leave", what="step-out")
    assert "stepped out" in refusal(phone.post("/vote", **sent))


@pytest.mark.parametrize(
    "fields",
    [
        *({"hand": hand} for hand in ("10", "10 6 9", "10 6 1", "A A A A 2 2 2", "TS TS")),
        *({"upcard": upcard} for upcard in ("", "10 9", "Z")),
        *({"hand": "AS AH AD AC 2", "upcard": "A"}, {"table": "war"}),
    ],
    ids=str,
)
def test_vote_needs_a_hand_with_a_decision(many: Room, fields: dict[str, str]) -> None:
    assert refusal(many.try_vote("ask", **(SIXTEEN | fields)))
    assert many.boss.json("/votes")["votes"] == []


def test_a_hand_is_taken_with_and_without_suits(many: Room) -> None:
    assert many.vote("ask", table="one-deck", hand="ah 7", upcard="9")["vote"]["question"] == (
        "Soft 18 against a nine"
    )
    many.vote("close-vote")
    asked = many.vote("ask", table="simple-21", hand="A, 7", upcard="as")["vote"]
    assert asked["question"] == "8 against an ace"  # An ace counts 1 at this table.
    assert asked["upcard"] == "AS"
    assert len({*asked["hand"], asked["upcard"]}) == 3


def test_two_dashboards_cannot_make_two_moves_of_one(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    step = many.desk()["step"]
    for status in (200, 409):
        sent = many.boss.post("/votes", move="close-vote", step=step)
        assert sent.status_code == status
    assert refusal(many.try_vote("close-vote"))
    assert refusal(many.try_vote("no-such-move"))


def test_no_vote_begins_in_a_round(many: Room) -> None:
    many.deal()
    assert "Bingo" in refusal(many.try_vote("ask", **SIXTEEN))
    many.move("void")
    many.vote("ask", **SIXTEEN)


def test_deal_closes_the_vote(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    many.deal()
    assert "closed" in refusal(answer(many.phones[0], "hit"), 409)
    assert many.boss.json("/votes")["vote"]["phase"] == "talk"
    assert 'http-equiv="refresh"' in many.phones[0].get("/vote").text


def test_phones_are_led_to_the_vote_while_it_is_on(many: Room) -> None:
    phone = many.phones[0]
    assert values(phone.get().text, "*", "data-card") == []
    many.vote("ask", **SIXTEEN)
    shown = phone.get().text
    assert values(shown, "*", "data-card") == [f"/class/{many.code}/vote"]
    assert values(shown, "*", "data-round") == ["vote 1"]
    assert many.boss.json("/projector")["show"] == "vote"
    many.vote("close-vote")
    many.move("show", show="nothing")
    assert values(phone.get().text, "*", "data-card") == []


def test_answer_of_a_removed_student_is_rejected(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    phone, *others = many.phones
    for one in (phone, *others[:3]):
        answer(one, "stay")
    many.move("remove", student=phone.number)
    sent = {"vote": 1, "ballot": 1, "choice": "hit", "sure": 2}
    assert phone.post("/vote", **sent).status_code == 403
    assert many.boss.json("/votes")["vote"]["answered"] == 3
    many.vote("close-vote")
    assert many.vote("bars")["vote"]["bars"]["1"]["stay"]["number"] == 3


def test_page_without_script_refreshes_only_without_a_question(many: Room) -> None:
    phone, renews = many.phones[0], 'http-equiv="refresh"'
    many.vote("ask", **SIXTEEN)
    assert renews not in phone.get("/vote").text
    answer(phone, "hit")
    assert renews in phone.get("/vote").text
    assert renews not in phone.get("/vote?still=yes").text
    assert (
        phone.post("/vote", page=True, vote=1, ballot=1, choice="stay", sure=1).status_code == 303
    )


def test_stored_answers_are_shown_to_and_deleted_with_the_student(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    phone, *others = many.phones
    for other in others[:3]:
        answer(other, "hit")
    answer(phone, "stay", 3)
    many.vote("close-vote")
    bars = many.vote("bars")["vote"]["bars"]
    (given,) = phone.json("/me.json")["rows"]["vote_answers"]
    shown = {name: given[name] for name in ("vote", "ballot", "choice", "sure")}
    assert shown == {"vote": 1, "ballot": 1, "choice": "stay", "sure": 3}
    assert others[-1].json("/me.json")["rows"]["vote_answers"] == []
    key = f"vote_answers {many.code} 1 {phone.number} 1"
    assert key in class_rows(many.app)
    assert phone.post("/leave", what="forget").status_code == 200
    assert key not in class_rows(many.app)
    assert many.boss.json("/votes")["vote"]["bars"] == bars, (
        "the sums would say what they had answered"
    )


def test_closed_class_takes_no_answer(many: Room) -> None:
    many.vote("ask", **SIXTEEN)
    many.move("close")
    assert refusal(answer(many.phones[0], "hit"))
    assert many.boss.json("/votes")["moves"] == []
