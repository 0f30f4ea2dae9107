"""Lessons: what a class gave away on one day and the next, a student in ten rounds and the next."""

import math
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from math import comb, sqrt
from re import findall
from statistics import fmean, stdev, variance
from typing import Any, Final

import pytest

from cardgames.records.record import Record
from tests.support.classroom import JSON, Phone, Room, open_room, site
from tests.support.insight import Habit, Student, judge_all, played, put_by
from tests.support.tournaments import make, play_all, stands_on
from web.classes.insight import MAX_DAYS, Days, TablePlay, of_round, play_in, with_round
from web.insight.comparisons import between_students, tens_of

T: Final = {2: 4.303, 6: 2.447, 7: 2.365, 9: 2.262}
"""Student's quantiles, 0.975, from a printed table."""

FIRST, SECOND = date(2026, 11, 16), date(2026, 11, 23)


def noon(day: date) -> float:
    return datetime(day.year, day.month, day.day, 12).astimezone().timestamp()


ONE, OTHER = "hits-hard-17", "stops-strong"

TOLD_ONE = ([ONE] * 5 + [OTHER] * 3, [""] * 5 + [OTHER] * 3)
"""The habits of a class on two days, between which one of them was explained."""


def per_100(student: Student, *habits: str) -> float:
    """Return the points that a student gave away by some habits in a hundred decisions."""
    return 100 * 100 * student.lost * (student.habit in habits) / student.decisions


def rounds(student: Habit, seed: int, number: int) -> list[Record]:
    return [played("blackjack", f"{seed:016x}{at:016x}", student) for at in range(number)]


def taught(
    folder: Any,
    first: list[str],
    second: list[str],
    then: Callable[[Room], Room] = lambda room: room,
) -> Any:
    """Return a class that has played on two days, and who played how on each.

    ``then`` says in which class the second is, which may go on from the first.
    """
    room = open_room(site(folder), len(first), nicknames="free", real="no")
    lessons = [[Student(habit) for habit in day] for day in (first, second)]
    teach(room, FIRST, lessons[0])
    room = then(room)
    teach(room, SECOND, lessons[1])
    return room, lessons


def teach(room: Room, day: date, lesson: list[Student], number: int = 20) -> None:
    """Have the first students of a class play some rounds each on a day."""
    for who, student in enumerate(lesson, 1):
        put_by(room, who, *rounds(student, 100 * day.day + who, number), at=noon(day))
    judge_all(room)


def assert_compared(found: dict[str, Any], lessons: list[list[Student]], *habits: str) -> None:
    """Check how students are compared with themselves, by arithmetic of the test's own."""
    (before, after) = ([per_100(one, *habits) for one in day] for day in lessons)
    differences = [now - was for was, now in zip(before, after, strict=True)]
    reach = T[len(before) - 1] * stdev(differences) / sqrt(len(before))
    expected = {
        "before": fmean(before),
        "after": fmean(after),
        "low": fmean(differences) - reach,
        "high": fmean(differences) + reach,
        "students": len(before),
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


# ---- One lesson and the next ---------------------------------------------------------------------


def test_what_was_learned_between_two_lessons_is_found_and_what_was_not_is_not(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    room, lessons = taught(tmp_path_factory.mktemp("learned"), *TOLD_ONE)
    table = room.boss.json("/insight")["tables"]["blackjack"]
    found = {one["name"]: one["lessons"] for one in table["misconceptions"]}
    assert {*found} == {ONE, OTHER}
    assert (table["lessons"]["last"], table["lessons"]["this"]) == ("2026-11-16", "2026-11-23")
    for name in (ONE, OTHER):
        assert_compared(found[name], lessons, name)
    assert_compared(table["lessons"]["all"], lessons, ONE, OTHER)
    assert found["hits-hard-17"]["verdict"] == "less"
    assert found["stops-strong"]["verdict"] is None
    page = room.boss.get("/insight").text
    assert "Lesson of 2026-11-16, then of 2026-11-23" in page
    assert page.count("no clear change: from") >= 1
    assert_the_page_to_print(room, lessons)


def assert_the_page_to_print(room: Room, lessons: list[list[Student]]) -> None:
    """The lesson's page has the same figures, of each day what was played on it."""
    assert room.boss.json("/lesson")["days"] == ["2026-11-23", "2026-11-16"]
    newest = room.boss.json("/lesson")["lesson"]
    assert newest == room.boss.json("/lesson?day=2026-11-23")["lesson"]
    oldest = room.boss.json("/lesson?day=2026-11-16")["lesson"]
    for found, day in ((oldest, lessons[0]), (newest, lessons[1])):
        table = found["tables"]["blackjack"]
        assert (table["students"], table["rounds"]) == (8, 160)
        lost = {
            name: 100 * sum(one.lost for one in day if one.habit == name) for name in (ONE, OTHER)
        }
        decisions = sum(one.decisions for one in day)
        assert table["per_100"] == pytest.approx(100 * sum(lost.values()) / decisions)
        listed = {one["name"]: one["points"] for one in table["misconceptions"]}
        assert listed == pytest.approx(lost), "what was mended is listed too"
        who = {one["name"]: one["students"] for one in table["misconceptions"]}
        assert who == {"hits-hard-17": 5 if found is oldest else 0, "stops-strong": 3}
        drilled = max(listed, key=lambda name: listed[name])
        assert table["drill"] == f"/puzzles/blackjack/{drilled}"
    assert oldest["tables"]["blackjack"]["last"] is None
    assert newest["tables"]["blackjack"]["last"] == "2026-11-16"
    page = room.boss.get("/lesson").text
    assert "Lesson of 2026-11-16, then of 2026-11-23" in page
    assert "160 rounds of 8 students" in page
    assert "There is no lesson before" in room.boss.get("/lesson?day=2026-11-16").text
    typed = {f"localhost{newest['tables']['blackjack']['drill']}", "localhost/puzzles"}
    assert {*findall(r">([^<]*/puzzles[^<]*)</a>", page)} == typed, "on paper nobody can press it"


@pytest.mark.parametrize("then", [lambda room: room, Room.next_week], ids=["same", "next"])
def test_no_change_is_claimed_where_none_was_planted(
    tmp_path_factory: pytest.TempPathFactory, then: Callable[[Room], Room]
) -> None:
    same = [ONE] * 4 + [OTHER] * 4
    room, _ = taught(tmp_path_factory.mktemp("same"), same, same, then)
    table = room.boss.json("/insight")["tables"]["blackjack"]
    assert len(table["misconceptions"]) == 2
    claims = [one["lessons"]["verdict"] for one in table["misconceptions"]]
    assert [*claims, table["lessons"]["all"]["verdict"]] == [None] * 3


def test_a_day_of_two_students_is_no_lesson(room: Room) -> None:
    for number in (1, 2):
        put_by(room, number, *rounds(Student(), number, 12), at=noon(FIRST))
    for number in (1, 2, 3):
        put_by(room, number, *rounds(Student(), 10 + number, 12), at=noon(SECOND))
    judge_all(room)
    assert room.boss.json("/insight")["tables"]["blackjack"]["lessons"] is None
    put_by(room, 3, *rounds(Student(), 20, 12), at=noon(FIRST))
    judge_all(room)
    found = room.boss.json("/insight")["tables"]["blackjack"]["lessons"]["all"]
    assert (found["before"], found["after"], found["verdict"]) == (0, 0, None)


def test_two_students_are_not_compared() -> None:
    assert between_students([(1.0, 2.0)] * 2) is None


# ---- The last lesson of the class before ------------------------------------------------------


def against_last_week(room: Room) -> dict[str, Any] | None:
    """Return what the newest lesson is held against; the page to print says the same."""
    found: dict[str, Any] | None = room.boss.json("/insight")["tables"]["blackjack"]["lessons"]
    page = room.boss.json("/lesson")["lesson"]["tables"]["blackjack"]
    assert (page["last"], page["change"]) == (found and found["last"], found and found["all"])
    return found


def test_the_first_lesson_of_a_class_is_held_against_the_last_of_the_class_before(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    room, lessons = taught(tmp_path_factory.mktemp("week"), *TOLD_ONE, Room.next_week)
    found = against_last_week(room)
    assert found
    assert (found["last"], found["this"]) == ("2026-11-16", "2026-11-23")
    assert_compared(found["all"], lessons, ONE, OTHER)
    listed = room.boss.json("/lesson")["lesson"]["tables"]["blackjack"]["misconceptions"]
    changes = {one["name"]: one["change"] for one in listed}
    assert {*changes} == {ONE, OTHER}
    for name, change in changes.items():
        assert_compared(change, lessons, name)
    assert changes["hits-hard-17"]["verdict"] == "less"
    assert changes["stops-strong"]["verdict"] is None
    assert "Lesson of 2026-11-16, then of 2026-11-23" in room.boss.get("/insight").text
    assert "Lesson of 2026-11-16, then of 2026-11-23" in room.boss.get("/lesson").text
    assert_results_begin_anew(room, lessons[1])


def assert_results_begin_anew(room: Room, lesson: list[Student]) -> None:
    """Nothing of the class before is counted, listed or downloaded as this one's."""
    table = room.boss.json("/insight")["tables"]["blackjack"]
    assert table["rounds"] == 160
    assert [one["name"] for one in table["misconceptions"]] == ["stops-strong"]
    decisions = {one["number"]: one["decisions"] for one in table["students"]}
    assert decisions == {who: student.decisions for who, student in enumerate(lesson, 1)}
    assert room.boss.json("/lesson")["days"] == ["2026-11-23"]
    lines = room.boss.get("/insight/students.csv").text.splitlines()[1:]
    assert [line.split(",")[3] for line in lines] == ["20"] * 8


@pytest.mark.parametrize("where", ["both", "new", "removed"])
def test_who_is_forgotten_in_either_class_is_not_compared(
    tmp_path_factory: pytest.TempPathFactory, where: str
) -> None:
    classes: list[Room] = []

    def then(room: Room) -> Room:
        classes.append(room)
        return room.next_week()

    second = ["", *[ONE] * 7]
    room, lessons = taught(tmp_path_factory.mktemp("gone"), [ONE] * 8, second, then)
    (before,), gone = classes, Phone(classes[0].phones[0].client, room.code)
    assert gone.post("/rejoin", along="yes").status_code == 200
    found = against_last_week(room)
    assert found
    assert found["all"]["students"] == 8
    if where == "removed":
        before.move("remove", student=1)
    else:
        phone = before.phones[0] if where == "both" else gone
        assert phone.post("/leave", what="forget").status_code == 200
    found = against_last_week(room)
    assert found
    assert_compared(found["all"], [day[1:] for day in lessons], ONE)


def test_a_number_that_is_two_students_is_not_compared(room: Room) -> None:
    """Who joins the old class after the copy has the next number, as who joins the new one."""
    new = room.next_week()
    assert room.newcomer().number == new.newcomer().number == 7
    for here, day in ((room, FIRST), (new, SECOND)):
        for number in (1, 2, 7):
            put_by(here, number, *rounds(Student(), number, 12), at=noon(day))
        judge_all(here)
    assert against_last_week(new) is None, "of two students alone"
    assert "2026-11-16" not in new.phones[0].get().text
    put_by(room, 3, *rounds(Student(), 3, 12), at=noon(FIRST))
    put_by(new, 3, *rounds(Student(), 4, 12), at=noon(SECOND))
    judge_all(room)
    found = against_last_week(new)
    assert found
    assert found["all"]["students"] == 3


def test_the_last_lesson_is_the_newest_on_a_day_before(room: Room) -> None:
    earlier = FIRST - timedelta(days=7)
    for day in (earlier, FIRST, SECOND, SECOND + timedelta(days=1)):
        teach(room, day, [Student() for _ in range(3)], 12)
    teach(room, FIRST + timedelta(days=2), [Student(), Student()], 12)
    new = room.next_week()
    teach(new, FIRST + timedelta(days=1), [Student(), Student()], 12)
    assert new.boss.json("/insight")["tables"]["blackjack"]["lessons"] is None, "two only"
    teach(new, SECOND, [Student() for _ in range(3)], 12)
    found = against_last_week(new)
    assert found
    assert (found["last"], found["this"]) == ("2026-11-16", "2026-11-23")
    later = SECOND + timedelta(days=7)
    teach(new, later, [Student() for _ in range(3)], 12)
    found = against_last_week(new)
    assert found
    assert (found["last"], found["this"]) == ("2026-11-23", "2026-11-30")
    page = new.boss.json("/lesson?day=2026-11-23")["lesson"]["tables"]["blackjack"]
    assert page["last"] == "2026-11-16"


def test_a_lesson_is_held_against_the_last_in_whichever_class_before(room: Room) -> None:
    """A week in which two have played, and one in which nobody has, are passed over."""
    teach(room, FIRST - timedelta(days=7), [Student() for _ in range(3)], 12)
    teach(room, FIRST, [Student() for _ in range(4)], 12)
    second = room.next_week()
    teach(second, FIRST + timedelta(days=1), [Student(), Student()], 12)
    new = second.next_week().next_week()
    teach(new, SECOND, [Student() for _ in range(4)], 12)
    found = against_last_week(new)
    assert found
    assert (found["last"], found["this"]) == ("2026-11-16", "2026-11-23")
    assert found["all"]["students"] == 4
    second.move("remove", student=1)
    found = against_last_week(new)
    assert found
    assert found["all"]["students"] == 3, "who is missing in one of them is not compared"
    judged = new.boss.json("/insight")["tables"]["blackjack"]
    assert judged["rounds"] == 4 * 12, "only what was played here is a result"


def test_a_class_before_that_has_ended_is_nothing_to_be_held_against(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = [Student() for _ in range(3)]
    teach(room, FIRST, lesson, 12)
    new = room.next_week()
    teach(new, SECOND, lesson, 12)
    phone = Phone(room.phones[0].client, new.code)
    assert phone.post("/rejoin", along="yes").status_code == 200
    assert against_last_week(new)
    assert "2026-11-16" in phone.get().text
    room.boss.post("/dashboard", move="forget", step=room.desk()["step"])
    assert against_last_week(new) is None
    assert "There is no lesson before" in new.boss.get("/lesson").text
    assert "2026-11-16" not in phone.get().text
    monkeypatch.setattr("web.classroom.opening.new_code", lambda: room.code)
    others = open_room(room.app, 6)
    assert others.code == room.code, "its code is another's now"
    teach(others, FIRST, lesson, 12)
    assert against_last_week(new) is None
    assert "2026-11-16" not in phone.get().text


# ---- Ten rounds and the next ten -----------------------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
def test_fewer_than_one_claim_in_twenty_is_chance(share: float) -> None:
    """All outcomes of twenty rounds of which each has a mistake of one price with a chance."""
    chances = [comb(10, k) * share**k * (1 - share) ** (10 - k) for k in range(11)]
    wrong = 0.0
    for before, after in ((a, b) for a in range(11) for b in range(11)):
        costs = [0.3] * before + [0.0] * (10 - before) + [0.3] * after + [0.0] * (10 - after)
        found = tens_of(costs)
        assert found
        wrong += chances[before] * chances[after] * bool(found.verdict)
    assert wrong < 0.05


def test_ten_rounds_are_held_against_the_next_ten() -> None:
    rng = random.Random(3)
    costs = [rng.random() / 2 for _ in range(10)] + [rng.random() / 9 for _ in range(10)]
    costs += [0.2] * 10
    first, following = costs[:10], costs[10:20]
    found = tens_of(costs)
    assert found
    reach = 100 * T[9] * sqrt(variance(first) / 10 + variance(following) / 10)
    difference = 100 * (fmean(following) - fmean(first))
    assert tuple(found[:4]) == pytest.approx(
        (100 * fmean(first), 100 * fmean(following), difference - reach, difference + reach)
    )
    assert found.verdict == "less"
    latest = tens_of(costs, latest=True)
    assert latest
    assert latest.after == pytest.approx(20)
    assert tens_of(costs[:19]) is None


@pytest.mark.parametrize("seed", range(8))
def test_the_first_twenty_rounds_and_the_last_ten_are_kept_whatever_comes(seed: int) -> None:
    rng, days, every = random.Random(seed), Days(), list[float]()
    for at in range(rng.randrange(1, 60)):
        for _ in range(rng.randrange(1, 25)):
            every.append(float(len(every)))
            day = str(date(2026, 1, 1) + timedelta(days=at))
            days = with_round(days, day, "blackjack", of_round([every[-1]], (), won=False))
    found = play_in(days)["blackjack"]
    assert (found.rounds, found.cost) == (len(every), sum(every))
    assert list(found.costs[:20]) == every[:20]
    assert list(found.costs[20:]) == every[20:][-10:]
    assert len(days) <= MAX_DAYS


# ---- The page to print -----------------------------------------------------------------------


def test_a_lesson_says_what_was_played_and_names_nobody(room: Room) -> None:
    assert "Nothing has been played yet." in room.boss.get("/lesson").text
    assert room.boss.json("/lesson")["lesson"] is None
    room.play()
    make(room, deals=1, title="Ten for Friday")
    for phone in room.phones[:2]:
        play_all(phone, stands_on(17))

    room.vote("ask", table="blackjack", hand="10 6", upcard="6")
    for ballot, right in ((1, 1), (2, 3)):
        for number, phone in enumerate(room.phones[:4]):
            choice = "stay" if number < right else "hit"
            phone.post("/vote", vote=1, ballot=ballot, choice=choice, sure=1)
        room.vote("close-vote")
        if ballot == 1:
            room.vote("second")
    assert room.boss.json("/lesson")["lesson"]["votes"] == [], "it is not solved"
    room.vote("solve")
    page, found = room.boss.get("/lesson").text, room.boss.json("/lesson")["lesson"]
    assert (found["bingo"], found["tournaments"]) == ([1], [1])
    assert [vote["question"] for vote in found["votes"]] == ["16 against a six"]
    assert "finished by fewer than three students" in page
    assert "Before the talk 25% of 4 were right. After it 75% of 4." in page
    assert not [phone.name for phone in room.phones if phone.name in page + str(found)]
    play_all(room.phones[2], stands_on(17))
    assert "finished by 3 students" in room.boss.get("/lesson").text
    for phone in (room.phones[0], room.visitor()):
        for headers in ({}, JSON):
            assert phone.get("/lesson", headers=headers).status_code == 403
    for day in ("2026-13-45", "x" * 5_000, "2020-01-01"):
        assert room.boss.json(f"/lesson?day={day}")["lesson"] == found


# ---- What a student sees -------------------------------------------------------------------------


def test_students_see_their_own_progress_and_nobody_elses(room: Room) -> None:
    first, second = Student(ONE), Student()
    put_by(room, 1, *rounds(first, 1, 10), at=noon(FIRST))
    judge_all(room)
    other = room.phones[1].get().text
    put_by(room, 1, *rounds(second, 2, 10), at=noon(SECOND))
    judge_all(room)
    page, kept = room.phones[0].get().text, room.phones[0].json("/me.json")
    assert "Your numbers at the tables" in page
    assert f'<td class="r">{per_100(first, ONE):,.0f}</td>' in page
    assert "Blackjack, your first ten rounds, then your latest ten: " in page
    assert [*kept["days"]] == ["2026-11-16", "2026-11-23"]
    costs = kept["tables"]["blackjack"]["points_of_rounds"]
    assert math.fsum(costs) == pytest.approx(100 * first.lost)
    assert kept["days"]["2026-11-16"]["blackjack"]["points_of_rounds"] == costs[:10]
    assert room.phones[1].get().text == other, "a class that differs in one student"
    assert "Your numbers" not in other
    assert room.phones[1].json("/me.json")["days"] == {}


def test_students_see_the_days_of_the_class_before(room: Room) -> None:
    first, second = Student(ONE), Student()
    teach(room, FIRST, [first], 10)
    new = room.next_week()
    here, other = (Phone(phone.client, new.code) for phone in room.phones[:2])
    for phone in (here, other):
        assert phone.post("/rejoin", along="yes").status_code == 200
    empty = other.get().text
    teach(new, SECOND, [second], 10)
    page = here.get().text
    assert f'<td class="r">{per_100(first, ONE):,.0f}</td>' in page
    assert page.index(">2026-11-23<") < page.index(">2026-11-16<")
    assert "<dd>10 rounds, " in page, "of this class alone"
    assert "first ten rounds, then your latest ten" not in page
    assert [*here.json("/me.json")["days"]] == ["2026-11-23"]
    assert other.get().text == empty, "a class that differs in one student"
    assert "Your numbers" not in empty


def test_costs_are_those_of_both_in_their_order() -> None:
    one, two = TablePlay(costs=(1.0,)), TablePlay(costs=(2.0,))
    assert one.plus(two).costs == (1.0, 2.0)


def test_a_damaged_cost_makes_a_table_unsound() -> None:
    assert not TablePlay(rounds=1, costs=(math.inf,)).is_sound
