"""*Insight*: planted mistakes come up, at their exact price, and nobody is known by them."""

import csv
from fractions import Fraction
from io import StringIO
from itertools import islice
from typing import Any, Final

import flask
import msgspec
import pytest

from cardgames.advice import Situation
from tests.support.classroom import JSON, Room, open_room, site
from tests.support.insight import judge_all, played, points, put_by, salts_for
from web.classroom.insight import Estimate, Mistake, Play, TablePlay, estimate, of_round

SLUG: Final = "one-deck"

SIXTEEN: Final = float(Fraction(-317867299, 588232260) - Fraction(-15214267, 26219655))
SOFT_EIGHTEEN: Final = -0.08695752 - -0.17883186
TWELVE: Final = -0.21234431 - -0.22195462
"""What standing on T6 against a ten, standing on A7 against a nine and hitting 75 against a three
cost at One-deck Blackjack, in rounds, from a fresh deck: the reference numbers, found by two other
methods."""


def habit(hand: str, upcard: str, move: str) -> Any:
    """Return what a student does who always makes one mistake with two cards."""

    def chosen(situation: Situation) -> str:
        same = points(situation.hand) == hand and points([situation.upcard]) == upcard
        return move if same else ""

    return chosen


@pytest.fixture(scope="module")
def deals() -> list[str]:
    """The salts of the deals that the whole class plays: two or three of each kind, and others."""
    return [
        *islice(salts_for(SLUG, "6T", "T"), 2),
        *islice(salts_for(SLUG, "A7", "9"), 2),
        *islice(salts_for(SLUG, "57", "3"), 3),
        *(f"{number:032x}" for number in range(10**6, 10**6 + 6)),
    ]


def teach(app: flask.Flask, deals: list[str], students: int) -> Room:
    """Return a class in which five, three and two make a mistake each; all else is best play."""
    room = open_room(app, students, nicknames="free", real="no")
    planted = {
        **dict.fromkeys(range(1, 6), habit("6T", "T", "stay")),
        **dict.fromkeys(range(6, 9), habit("A7", "9", "stay")),
        **dict.fromkeys(range(9, 11), habit("57", "3", "hit")),
        **dict.fromkeys(range(11, 14), habit("A7", "9", "hit")),  # the best play, so no mistake
    }
    for phone in room.phones:
        wrong = planted.get(phone.number, habit("", "", ""))
        put_by(room, phone.number, *(played(SLUG, salt, wrong) for salt in deals))
    judge_all(room)
    return room


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, deals: list[str]) -> Room:
    """A class of thirty, to look at."""
    return teach(site(tmp_path_factory.mktemp("taught")), deals, 30)


def test_exactly_the_planted_mistakes_are_at_the_top(taught: Room, deals: list[str]) -> None:
    told = taught.boss.json("/insight")
    assert told["waiting"] == 0
    table = told["tables"][SLUG]
    assert table["rounds"] == 30 * len(deals)
    assert [
        (one["what"], one["students"], one["of"], one["times"]) for one in table["decisions"]
    ] == [
        ("Standing on soft 18 against a nine", 3, 30, 6),
        ("Standing on 16 against a ten", 5, 30, 10),
    ]
    soft, hard = table["decisions"]
    assert soft["each"] == pytest.approx(100 * SOFT_EIGHTEEN, abs=2e-6)
    assert hard["each"] == pytest.approx(100 * SIXTEEN, abs=1e-9)
    assert hard["points"] == pytest.approx(1_000 * SIXTEEN, abs=1e-9)


def test_what_two_have_decided_is_in_no_row(taught: Room) -> None:
    for path in ("/insight", "/insight/decisions.csv", "/projector?show=insight"):
        text = taught.boss.get(path).text
        assert "16 against a ten" in text
        assert "12 against a three" not in text
    assert "12 against a three" not in str(taught.boss.json("/insight"))


def test_each_student_has_given_away_what_they_have(taught: Room) -> None:
    table = taught.boss.json("/insight")["tables"][SLUG]
    by_number = {one["number"]: one for one in table["students"]}
    assert len(by_number) == 30
    for who, cost in ((1, 2 * SIXTEEN), (6, 2 * SOFT_EIGHTEEN), (9, 3 * TWELVE), (20, 0.0)):
        one = by_number[who]
        expected = 100 * 100 * cost / one["decisions"]
        assert one["per_100"] == pytest.approx(expected, abs=1e-2)
        low, high = one["interval"]
        assert 0 <= low <= one["per_100"] < high
    order = [one["per_100"] for one in table["students"]]
    assert order == sorted(order)
    assert by_number[1]["rounds"] == by_number[20]["rounds"]


def test_a_replay_shows_the_decision_and_nobody(taught: Room) -> None:
    for row in taught.boss.json("/insight")["tables"][SLUG]["decisions"]:
        text = taught.visitor().client.get(row["replay"]).text
        assert row["what"] in text
        assert "was a mistake" in text
        assert not any(phone.name in text for phone in taught.phones)


def test_a_replay_tells_no_card_that_its_player_has_not_seen(taught: Room) -> None:
    """At One-deck the next round is dealt from the same deck."""
    row = taught.boss.json("/insight")["tables"][SLUG]["decisions"][0]
    record = taught.boss.client.get(row["replay"], headers=JSON).get_json()["record"]
    assert "salt" not in record
    (shuffled,) = (word for word in record.split() if word.startswith("shuffle="))
    assert shuffled.count("xx") + int(shuffled.partition("+")[2]) > 52 - 10


def test_the_big_screen_names_nobody(school: flask.Flask, deals: list[str]) -> None:
    room = open_room(school, real="must", nicknames="free")
    for number in range(4):
        room.visitor().join(name=f"Student{number}x", offer="", real=f"Wilhelmine Zipfel{number}")
        wrong = habit("6T", "T", "stay")
        put_by(room, number + 1, *(played(SLUG, salt, wrong) for salt in deals))
    judge_all(room)
    room.move("show", show="insight")
    for path in ("/projector", "/projector?show=insight&table=one-deck", "/projector?table=war"):
        for headers in ({}, JSON, {"Accept-Language": "de"}):
            text = room.visitor().get(path, headers=headers).text
            assert "Student" not in text.replace("Students", "")
            assert "Zipfel" not in text
    text = room.visitor().get("/projector").text
    assert "Standing on 16 against a ten" in text
    assert "4 of 4 students" in text
    told = room.visitor().json("/projector")["insight"]
    assert (told["table"], told["students"], len(told["decisions"])) == (SLUG, 4, 1)
    assert "Zipfel" not in room.boss.get("/insight").text
    for what in ("students", "decisions"):
        assert "Zipfel" not in room.boss.get(f"/insight/{what}.csv").text
    assert "Student0x" not in room.boss.get("/insight/decisions.csv").text


def test_the_csvs_open_everywhere(school: flask.Flask, deals: list[str]) -> None:
    room = teach(school, deals, 8)
    phone = room.visitor()
    phone.join(name="-2.3", offer="")
    put_by(room, phone.number, played(SLUG, deals[0]))
    judge_all(room)
    for what, lines in (("students", 9), ("decisions", 2)):
        answer = room.boss.get(f"/insight/{what}.csv")
        assert answer.mimetype == "text/csv"
        assert answer.data.startswith(b"\xef\xbb\xbf")
        rows = list(csv.reader(StringIO(answer.data.decode("utf-8-sig"))))
        assert len(rows) == 1 + lines
        assert all(len(row) == len(rows[0]) for row in rows)
    text = room.boss.get("/insight/students.csv").text
    assert "'-2.3" in text
    assert room.boss.get("/insight/names.csv").status_code == 404


def test_only_the_instructor_sees_it(taught: Room) -> None:
    for phone in (taught.phones[0], taught.visitor()):
        for path in ("/insight", "/insight?table=one-deck", "/insight/students.csv"):
            answer = phone.get(path)
            assert answer.status_code == 403
            assert taught.phones[1].name not in answer.text


def test_an_empty_class_is_told_what_will_come(room: Room) -> None:
    for path in ("/insight", "/insight?table=nothing", "/insight?table=war"):
        text = room.boss.get(path).text
        assert "Nothing has been judged yet." in text
        assert "Blackjack" in text
    assert room.boss.json("/insight") == {
        "class": room.code,
        "title": "CS1, Tuesday",
        "waiting": 0,
        "tables": {},
    }
    assert "There are no results yet." in room.boss.get("/projector?show=insight").text


def test_what_still_waits_is_told(room: Room, deals: list[str]) -> None:
    put_by(room, 1, played(SLUG, deals[0]), played(SLUG, deals[1]))
    put_by(room, 1, played("blackjack", deals[0]))
    assert "3 rounds are still to be judged." in room.boss.get("/insight").text
    assert room.boss.json("/insight")["waiting"] == 3
    judge_all(room)
    assert "still to be judged" not in room.boss.get("/insight").text
    assert room.boss.json("/insight")["tables"][SLUG]["rounds"] == 2
    for asked, table in (("blackjack", "blackjack"), ("", SLUG), ("war", SLUG)):
        shown = room.boss.json(f"/projector?show=insight&table={asked}")["insight"]
        assert shown["table"] == table


def test_who_is_banned_or_forgotten_is_left_out(school: flask.Flask, deals: list[str]) -> None:
    room = teach(school, deals, 6)
    assert len(room.boss.json("/insight")["tables"][SLUG]["students"]) == 6
    room.move("ban", student="1")
    assert room.phones[1].post("/leave", what="forget").status_code == 200
    table = room.boss.json("/insight")["tables"][SLUG]
    assert {1, 2}.isdisjoint(one["number"] for one in table["students"])
    assert table["rounds"] == 4 * len(deals)
    hard = table["decisions"][-1]
    assert (hard["students"], hard["of"], hard["times"]) == (3, 4, 6)


# ---- The arithmetic ------------------------------------------------------------------------------


def mistake(cost: float, times: int = 1, **more: object) -> Mistake:
    kept = ["stay", 16, False, "T", times, cost, cost / times, "", 1]
    return msgspec.structs.replace(msgspec.convert(kept, Mistake), **more)


def test_rounds_are_summed_up() -> None:
    first = of_round((0.0, 0.25), [mistake(0.25, step=2)], won=True)
    second = of_round((0.5,), [mistake(0.5, step=1)], won=False)
    play = {"blackjack": first.plus(second), "one-deck": of_round((), (), won=False)}
    table = play["blackjack"]
    assert (table.rounds, table.won, table.decisions, table.cost, table.squares) == (
        2,
        1,
        3,
        0.75,
        0.3125,
    )
    (known,) = table.mistakes
    assert (known.times, known.cost, known.worst, known.step) == (2, 0.75, 0.5, 1)
    assert (play["one-deck"].rounds, play["one-deck"].decisions) == (1, 0)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(play), type=Play) == play


def test_the_interval_is_that_of_a_mean() -> None:
    """Four decisions: 0, 0, 0.1 and 0.3; the deviations' squares add up to 0.06."""
    play = TablePlay(rounds=4, decisions=4, cost=0.4, squares=0.1)
    found = estimate(play, 0.2)
    assert found
    reach = 1.96 * (0.06 / 3 / 4) ** 0.5
    assert found.mean == pytest.approx(1_000)
    assert found.low == pytest.approx(max(0.0, 0.1 - reach) * 10_000)
    assert found.high == pytest.approx((0.1 + reach) * 10_000)


def test_who_has_made_no_mistake_may_still_make_one() -> None:
    """With a chance of 1 - 0.05^(1/n), n best decisions happen one time in twenty."""
    found = estimate(TablePlay(rounds=3, decisions=3), 0.2)
    assert found
    chance = found.high / 10_000 / 0.2
    assert (1 - chance) ** 3 == pytest.approx(0.05)
    assert (found.mean, found.low) == (0.0, 0.0)
    assert estimate(TablePlay(rounds=3), 0.2) is None
    assert estimate(TablePlay(rounds=1, decisions=1, cost=0.5, squares=0.25), 0.5) == Estimate(
        5_000.0, 0.0, 10_000.0
    )
