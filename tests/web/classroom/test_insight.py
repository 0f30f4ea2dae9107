"""*Insight* shows planted mistakes with their exact cost, and no student can be identified."""

import re
import time
from fractions import Fraction
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import Any, Final

import flask
import pytest

from cardgames import GAMES
from cardgames.advice import Situation
from cardgames.records.line import parse
from cardgames.records.replay import replay
from tests.support.classroom import JSON, Phone, Room, Watch, open_room, site
from tests.support.insight import advisor, best_play, played, points, put_by, salts_for
from tests.support.pages import page_of
from tests.support.play import deck_file
from tests.support.site import finish, made_deal, play
from web import db
from web.classroom.insight.models import StudentDay, StudentMistake
from web.http.sessions import DAY
from web.tables.queries import decisions_in

SLUG: Final = "one-deck"

SIXTEEN: Final = float(Fraction(-317867299, 588232260) - Fraction(-15214267, 26219655))
SOFT_EIGHTEEN: Final = -0.08695752 - -0.17883186
TWELVE: Final = -0.21234431 - -0.22195462
"""The costs, in rounds, of standing on T6 against a ten, of standing on A7 against a nine and of
hitting 75 against a three, in One-deck Blackjack with a new deck. These are the reference numbers.
Two other methods computed them.
"""


@cache
def habit(hand: str, upcard: str, move: str) -> Any:
    """Return the moves of a student who always makes the same mistake with two cards."""

    def chosen(situation: Situation) -> str:
        same = points(situation.hand) == hand and points([situation.upcard]) == upcard
        return move if same else ""

    return chosen


@pytest.fixture(scope="module")
def deals() -> list[str]:
    """The salts of the deals that all students play: two or three deals per mistake."""
    return [
        *islice(salts_for(SLUG, "6T", "T"), 2),
        *islice(salts_for(SLUG, "A7", "9"), 2),
        *islice(salts_for(SLUG, "57", "3"), 3),
        *(f"{number:032x}" for number in range(10**6, 10**6 + 6)),
    ]


def teach(app: flask.Flask, deals: list[str], students: int) -> Room:
    """Return a class whose students make mistakes.

    Groups of five, three and two students each make a different mistake.

    All other decisions are the best play.
    """
    room = open_room(app, students, nicknames="free", real="no")
    planted = {
        **dict.fromkeys(range(1, 6), habit("6T", "T", "stay")),
        **dict.fromkeys(range(6, 9), habit("A7", "9", "stay")),
        **dict.fromkeys(range(9, 11), habit("57", "3", "hit")),
        # This decision is the best play, so it is not a mistake.
        **dict.fromkeys(range(11, 14), habit("A7", "9", "hit")),
    }
    for phone in room.phones:
        wrong = planted.get(phone.number, best_play)
        put_by(room, phone.number, *(played(SLUG, salt, wrong) for salt in deals))
    return room


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, deals: list[str]) -> Room:
    """A class of twenty students, which the tests do not change."""
    return teach(site(tmp_path_factory.mktemp("taught")), deals, 20)


def test_exactly_the_planted_mistakes_are_at_the_top(taught: Room, deals: list[str]) -> None:
    table = taught.boss.json("/insight")["tables"][SLUG]
    assert table["rounds"] == 20 * len(deals)
    assert [
        (one["what"], one["students"], one["of"], one["times"]) for one in table["decisions"]
    ] == [
        ("Standing on soft 18 against a nine", 3, 20, 6),
        ("Standing on 16 against a ten", 5, 20, 10),
    ]
    for path in ("/insight", "/projector?show=insight"):
        text = taught.boss.get(path).text
        assert "16 against a ten" in text
        assert "12 against a three" not in text  # Two students are too few for a row.
    soft, hard = table["decisions"]
    assert soft["each"] == pytest.approx(100 * SOFT_EIGHTEEN, abs=2e-6)
    assert hard["each"] == pytest.approx(100 * SIXTEEN, abs=1e-9)


def test_students_points_given_away_are_their_own(taught: Room) -> None:
    table = taught.boss.json("/insight")["tables"][SLUG]
    by_number = {one["number"]: one for one in table["students"]}
    assert len(by_number) == 20
    for who, cost in ((1, 2 * SIXTEEN), (6, 2 * SOFT_EIGHTEEN), (9, 3 * TWELVE), (20, 0.0)):
        one = by_number[who]
        expected = 100 * 100 * cost / one["decisions"]
        assert one["per_100"] == pytest.approx(expected, abs=1e-2)
        low, high = one["interval"]
        assert 0 <= low <= one["per_100"] < high
    order = [one["per_100"] for one in table["students"]]
    assert order == sorted(order)


def test_replay_shows_no_card_unseen_by_its_player(taught: Room) -> None:
    """In One-deck Blackjack, the next round is dealt from the same deck."""
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
    room.move("show", show="insight")
    for headers in ({}, JSON):
        text = room.visitor().get("/projector", headers=headers).text
        assert "Standing on 16 against a ten" in text
        assert not re.search("Student[0-9]|Zipfel", text)
    assert "Zipfel" not in room.boss.get("/insight").text


def test_default_table_is_the_one_with_most_rounds(room: Room, deals: list[str]) -> None:
    assert "Nothing to show yet." in room.boss.get("/insight").text
    assert "There are no results yet." in room.boss.get("/projector?show=insight").text
    put_by(room, 1, played(SLUG, deals[0]), played(SLUG, deals[1]))
    put_by(room, 1, played("blackjack", deals[0]))
    assert room.boss.json("/insight")["tables"][SLUG]["rounds"] == 2
    for asked, table in (("blackjack", "blackjack"), ("", SLUG), ("war", SLUG)):
        shown = room.boss.json(f"/projector?show=insight&table={asked}")["insight"]
        assert shown["table"] == table


def test_banned_or_forgotten_students_are_left_out(school: flask.Flask, deals: list[str]) -> None:
    room = teach(school, deals, 6)
    assert len(room.boss.json("/insight")["tables"][SLUG]["students"]) == 6
    room.move("ban", student="1")
    assert room.phones[1].post("/leave", what="forget").status_code == 200
    table = room.boss.json("/insight")["tables"][SLUG]
    assert {1, 2}.isdisjoint(one["number"] for one in table["students"])
    assert table["rounds"] == 4 * len(deals)
    hard = table["decisions"][-1]
    assert (hard["students"], hard["of"], hard["times"]) == (3, 4, 6)


def test_rounds_count_by_the_day_of_their_end(
    school: flask.Flask, deals: list[str], watch: Watch
) -> None:
    """The results for one day, seven days and all days agree on every page and in every table."""
    room, stands = open_room(school, 3, nicknames="free", real="no"), habit("6T", "T", "stay")
    now = watch.time()
    for days_ago, count in ((0, 2), (1, 1), (6, 1), (7, 1), (40, 1)):
        for phone in room.phones:
            records = [played(SLUG, salt, stands) for salt in deals[:count]]
            put_by(room, phone.number, *records, at=now - days_ago * DAY)
        screen, own = "/projector?show=insight&", room.phones[0].get().text
    for days, rounds in (("1", 2), ("7", 4), ("all", 6), ("", 6), ("x" * 5_000, 6)):
        told = room.boss.json(f"/insight?days={days}")
        assert told["days"] == (days if rounds != 6 else "all")
        assert told["periods"] == {"1": "Today", "7": "7 days", "all": "All"}
        table = told["tables"][SLUG]
        assert table["rounds"] == 3 * rounds
        assert [one["rounds"] for one in table["students"]] == [rounds] * 3
        assert table["decisions"][0]["times"] == 3 * rounds
        assert room.boss.json(f"{screen}days={days}")["insight"]["rounds"] == 3 * rounds
        assert f"{3 * rounds} rounds of 3 students" in room.boss.get(f"/insight?days={days}").text
        if rounds < 6:
            label = told["periods"][days]
            assert f"{label} {rounds} " in " ".join(page_of(own).get_text(" ").split())
    watch.pass_by(8 * DAY)
    assert room.boss.json("/insight?days=7")["tables"] == {}
    assert "No rounds were played on these days." in room.boss.get("/insight?days=7").text
    assert room.boss.json("/insight")["tables"][SLUG]["rounds"] == 18


def stored(phone: Phone, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table as the student sees them."""
    rows: list[dict[str, Any]] = phone.json("/me.json")["rows"][table]
    return rows


BLACKJACK: Final = "blackjack"
TABLE: Final = f"/{BLACKJACK}"


def counted(room: Room) -> int:
    """Return the number of rounds that count for a class's students."""
    return sum(table["rounds"] for table in room.boss.json("/insight")["tables"].values())


@pytest.fixture
def phone(room: Room) -> Phone:
    return room.phones[0]


def test_students_round_counts_with_its_last_move(room: Room, phone: Phone) -> None:
    slugs = ("simple-21", "blackjack", "one-deck")
    for number, slug in enumerate(slugs, 1):
        finish(phone.client, f"/{slug}")
        assert counted(room) == number
    told = room.boss.json("/insight")
    assert {slug: one["rounds"] for slug, one in told["tables"].items()} == dict.fromkeys(slugs, 1)
    assert [one["number"] for one in told["tables"][BLACKJACK]["students"]] == [phone.number]


def test_only_rounds_since_joining_and_while_stepped_in_count(room: Room) -> None:
    newcomer = room.visitor()
    finish(newcomer.client, TABLE)
    newcomer.join()
    assert counted(room) == 0
    for what, rounds in (("step-in", 1), ("step-out", 1), ("step-in", 2)):
        assert newcomer.post("/leave", what=what).status_code == 200
        finish(newcomer.client, TABLE)
        assert counted(room) == rounds


@pytest.mark.parametrize("how", ["banned", "removed", "closed", "forgotten", "the instructor"])
def test_rounds_of_non_students_do_not_count(room: Room, phone: Phone, how: str) -> None:
    match how:
        case "banned":
            room.move("ban", student=phone.number)
        case "removed":
            room.move("remove", student=phone.number)
        case "closed":
            room.move("close")
        case "forgotten":
            assert phone.post("/leave", what="forget").status_code == 200
        case _:
            phone = room.boss
    finish(phone.client, TABLE)
    assert counted(room) == 0


def test_rounds_of_known_decks_or_without_decisions_do_not_count(room: Room, phone: Phone) -> None:
    deck = deck_file("KS 7H KD 8C")
    for slug in ("blackjack", "simple-21"):
        play(phone.client, f"/{slug}", "deal", deck=deck)
        play(phone.client, f"/{slug}", "stay")
    play(phone.client, "/simple-21", "deal", "stay")  # The round continues with the same deck.
    finish(phone.client, "/war")
    # Other players also see the cards of this round.
    finish(phone.client, made_deal(phone.client, BLACKJACK))
    assert counted(room) == 0


@pytest.mark.parametrize("order", [1, -1])
def test_mistake_shows_its_costliest_round(room: Room, phone: Phone, order: int) -> None:
    """Standing on 16 against a ten costs more after two small cards than after one."""
    hands = ("6T", "79")[::order]
    salts = [next(salts_for("simple-21", hand, "T")) for hand in hands]
    rounds = [played("simple-21", salt, lambda _: "stay") for salt in salts]
    costs = []
    for record in rounds:
        (decision,) = decisions_in(record)
        costs.append(decision.cost)
    # once with both mistakes on one day, and once on two days
    for days_ago, record in enumerate(rounds):
        put_by(room, phone.number, record)
        put_by(room, 2, record, at=time.time() - days_ago * DAY)
    worst = hands[costs.index(max(costs))]
    for student in room.phones[:2]:
        mistakes = stored(student, "student_mistakes")
        mistake = max(mistakes, key=itemgetter("worst"))
        shown = replay(parse(mistake["record"])).tables[1].state
        assert points(advisor(GAMES["simple-21"]).situation(shown).hand) == worst
        assert sum(row["times"] for row in mistakes) == 2
        assert sum(row["cost"] for row in mistakes) == pytest.approx(sum(costs))


def test_a_round_counts_once_for_each_class_of_its_player(school: flask.Flask) -> None:
    first = open_room(school, 1)
    second = open_room(school)
    Phone(first.phones[0].client, second.code).join()
    finish(first.phones[0].client, TABLE)
    assert (counted(first), counted(second)) == (1, 1)


@pytest.mark.parametrize("mode", ["after", "off"])
def test_a_round_costs_the_same_with_the_coach_and_without(
    phone: Phone, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Costs that the coach has computed are reused.

    The costs of other decisions are computed when the round ends.
    """
    salt = next(salts_for(SLUG, "6T", "T"))
    monkeypatch.setattr("web.tables.views.random_salt", lambda: salt)
    phone.client.post("/coach", data={"table": SLUG, "mode": mode})
    play(phone.client, f"/{SLUG}", "deal", "stay")
    (day,) = stored(phone, "student_days")
    assert (day["game"], day["rounds"], day["decisions"]) == (SLUG, 1, 1)
    assert day["cost"] == pytest.approx(SIXTEEN, abs=1e-11)


def test_unsaved_move_is_not_counted(
    room: Room, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        raise db.Unavailable

    table = play(phone.client, TABLE, "deal")
    with monkeypatch.context() as patch:
        patch.setattr(db, "commit", fails)
        sent = {"move": "stay", "step": table["step"]}
        assert phone.client.post(TABLE, data=sent, headers=JSON).status_code == 503
    assert counted(room) == 0
    finish(phone.client, TABLE)
    assert counted(room) == 1


def test_forgotten_students_and_classes_leave_no_rows(
    room: Room, phone: Phone, deals: list[str]
) -> None:
    def kept() -> list[int]:
        with db.database(room.app).session(writes=False) as session:
            return [session.query(table).count() for table in (StudentDay, StudentMistake)]

    for student in (1, 2):
        put_by(room, student, played(SLUG, deals[0], habit("6T", "T", "stay")))
    assert kept() == [2, 2]
    assert phone.post("/leave", what="forget").status_code == 200
    assert kept() == [1, 1]
    assert room.try_move("forget").status_code == 200
    assert kept() == [0, 0]


def test_students_see_all_their_stored_rows(room: Room, phone: Phone) -> None:
    salt = next(salts_for("simple-21", "6T", "T"))
    put_by(room, phone.number, played("simple-21", salt, lambda _: "stay"))
    (day,) = stored(phone, "student_days")
    assert (day["rounds"], day["decisions"]) == (1, 1)
    (mistake,) = stored(phone, "student_mistakes")
    assert (mistake["chosen"], mistake["total"], mistake["upcard"]) == ("stay", 16, "T")
    # The reference numbers for T6 against a ten at Simple 21.
    assert mistake["cost"] == pytest.approx(-0.50815725 - -0.54443916, abs=2e-8)
