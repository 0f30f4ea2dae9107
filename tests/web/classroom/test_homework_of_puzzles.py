"""Homework of puzzles: typed hands or a theme, one answer each, and the costs at the end."""

import csv
import io
import re
from random import Random
from typing import Any

import pytest
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.puzzles import Position, Theme
from tests.support import tournaments
from tests.support.classroom import Phone, Room, Watch, refusal
from tests.support.tournaments import HOUR, answer_puzzles, local, try_move
from web.classroom.homework.hands import (
    MAX_TYPED,
    answer_costs,
    choose_puzzles,
    parse_hands,
    sum_answers,
)

HANDS = "10 6 / Q\n7 5 / 3\n\nA 7 / 9"
# The difference between the values of both plays at Blackjack, times 100 (specs/numbers.md).
HIT_16, HIT_12, STAY_SOFT_18 = 2.489003, 5.401199, 9.285064
CLOSE = pytest.approx


def try_pose(room: Room, step: int | None = None, **fields: object) -> TestResponse:
    return tournaments.try_pose(room, step, **{"hands": HANDS, **fields})


def pose(room: Room, **fields: object) -> dict[str, Any]:
    return tournaments.pose(room, **{"hands": HANDS, **fields})


# ---- Rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "line", "move", "points"),
    [
        ("blackjack", "10 6 / Q", "hit", HIT_16),
        ("blackjack", "10 6 / Q", "stay", 0),
        ("simple-21", "10 6 / Q", "stay", 3.628191),
        ("one-deck", "10S 6D / QC", "stay", 3.988471),
        ("blackjack", "7 5 / 3", "hit", HIT_12),
        ("blackjack", "a,7 / 9", "stay", STAY_SOFT_18),
    ],
)
def test_price_of_an_answer_is_the_difference_of_values(
    table: str, line: str, move: str, points: float
) -> None:
    ((position,), wrong) = parse_hands(table, line)
    assert not wrong
    assert 100 * getattr(answer_costs(position.odds), move) == CLOSE(points, abs=2e-6)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("10 6", "Line 2: Add the dealer's card after a slash, as in 10 6 / K."),
        ("10 6 / ", "Line 2: Add the dealer's card after a slash, as in 10 6 / K."),
        ("10 6 / 9 8", "Line 2: Add the dealer's card after a slash, as in 10 6 / K."),
        ("10 6 / 9 / 8", "Line 2: Add the dealer's card after a slash, as in 10 6 / K."),
        ("10 / 6", "Line 2: Write 2 to 6 cards for the player, as in 10 6."),
        ("2 2 2 2 3 3 3 / 6", "Line 2: Write 2 to 6 cards for the player, as in 10 6."),
        ("10 1 / 6", "Line 2: “1” is not a card. Write A, 2 to 10, J, Q or K."),
        ("10 6 / wxyzwxyzwxyzwxyz", "Line 2: “wxyzwxyzwxyz” is not a card."),
        ("10 6H / 6H", "Line 2: A deck has each card once and each rank four times."),
        ("2 2 2 2 / 2", "Line 2: A deck has each card once and each rank four times."),
        ("10 6 K / 9", "Line 2: The hand is worth 26. Change it to 21 at most."),
        ("6 10 / Q", "Line 2: This line repeats the hand of line 1. Change or delete this line."),
    ],
)
def test_wrong_line_has_a_message_with_its_number(line: str, sentence: str) -> None:
    positions, (wrong,) = parse_hands("blackjack", f"10 6 / Q\n{line}")
    assert positions[0].total == 16
    assert wrong.text.startswith(sentence)


@pytest.mark.parametrize("slash", ["/", ":", ";", " | "])
def test_other_separators_and_suits_are_read(slash: str) -> None:
    ((position,), _) = parse_hands("one-deck", f"ah 7d{slash}qs")
    assert (*position.player, position.upcard) == ("AH", "7D", "QS")
    assert position.theme is Theme.SOFT


def test_theme_gives_different_puzzles_of_one_table() -> None:
    chosen = choose_puzzles(Theme.SOFT, "one-deck", 20, Random(1))
    assert len({*chosen}) == 20
    assert {(one.theme, one.table) for one in chosen} == {(Theme.SOFT, "one-deck")}
    assert choose_puzzles(Theme.LAST, "blackjack", 1, Random(1)) == ()


def test_sums_have_shares_prices_and_the_best_play() -> None:
    position = Position("blackjack", (Card("TS"), Card("6D")), Card("QC"))
    advisor = GAMES["blackjack"].advisor
    assert advisor
    sums = sum_answers(3, position, advisor, {"hit": 1, "stay": 3})
    hit, stay = sums.bars
    assert (sums.total, hit.number, stay.number, hit.share) == (4, 1, 3, 0.25)
    assert (hit.price, stay.price) == (CLOSE(HIT_16, abs=2e-6), 0)
    assert (hit.is_best, stay.is_best) == (False, True)
    assert [bar.share for bar in sum_answers(3, position, advisor, {}).bars] == [0, 0]


# ---- Made ----------------------------------------------------------------------------------------


def test_homework_of_typed_hands_is_made(room: Room) -> None:
    made = pose(room, title="Three for Friday")
    names = ("kind", "title", "table", "deals", "open")
    assert [made[name] for name in names] == ["puzzles", "Three for Friday", "blackjack", 3, True]
    assert [one["puzzle"] for one in made["puzzles"]] == [1, 2, 3]
    assert room.boss.json("/tournaments")["tournaments"][0]["kind"] == "puzzles"


def test_homework_of_a_theme_is_made(room: Room) -> None:
    made = pose(room, table="simple-21", theme="refill", hands="", deals=20)
    assert made["deals"] == 20
    assert all(one["discards"] for one in made["puzzles"])
    page = room.phones[0].get("/tournament/1/deal/1").text
    assert re.search("Played cards: |Cards in the deck and face down: ", page)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"hands": " \n"}, "Type at least one hand, or choose a theme."),
        (
            {"theme": "soft"},
            "Choose “My own hands” for the hands that you typed, or delete those hands.",
        ),
        ({"theme": "last", "hands": "", "deals": "3"}, "This table has no such puzzles."),
        ({"theme": "soft", "hands": "", "deals": "21"}, "The field deals takes a number from 1"),
        ({"theme": "none"}, "theme must be one of own, soft, "),
        ({"hands": "2 2 / 3\n" * 11}, "Type 10 hands at most, one per line. These are 11."),
        ({"hands": "10 6\n7 5 / 3\n1 / 2"}, "Correct these lines, then click the button again."),
    ],
)
def test_wrong_form_makes_nothing_and_loses_nothing(
    room: Room, wrong: dict[str, str], sentence: str
) -> None:
    before = room.desk()["step"]
    assert refusal(try_pose(room, before, **wrong)).startswith(sentence)
    sent = {"table": "blackjack", "theme": "own", "hands": HANDS, "title": "Kept", **wrong}
    page = room.boss.post("/tournaments", page=True, move="pose", step=before, **sent)
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    typed = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page.text, re.DOTALL)
    assert typed
    assert typed[1] == sent["hands"]
    assert f'value="{sent["title"]}"' in page.text
    assert room.boss.json("/tournaments")["tournaments"] == []


def test_every_wrong_line_is_named_on_the_page(room: Room) -> None:
    step = room.desk()["step"]
    sent = {"table": "blackjack", "theme": "own", "hands": "10 6\n7 5 / 3\n1 / 2"}
    page = room.boss.post("/tournaments", page=True, move="pose", step=step, **sent).text
    assert "<li>Line 1: Add the dealer&#39;s card after a slash, as in 10 6 / K.</li>" in page
    assert "<li>Line 3: Write 2 to 6 cards for the player, as in 10 6.</li>" in page
    assert "Line 2" not in page
    assert 'aria-invalid="true"' in page


def test_long_text_is_rejected_before_it_is_parsed(room: Room) -> None:
    assert try_pose(room, hands="A" * 1_001).status_code == 422
    assert MAX_TYPED == 10


# ---- Answered ------------------------------------------------------------------------------------


def test_answer_redirects_to_the_next_puzzle_and_counts_once(room: Room) -> None:
    pose(room)
    phone, address = room.phones[0], f"/class/{room.code}/tournament/1"
    assert phone.json("/tournament/1")["next"] == {"deal": 1, "address": f"{address}/deal/1"}
    assert phone.post("/tournament/1/deal/2", move="hit", step=0).status_code == 422
    sent = phone.post("/tournament/1/deal/1", page=True, move="hit", step=0)
    assert (sent.status_code, sent.location) == (303, f"{address}/deal/2")
    again = phone.post("/tournament/1/deal/1", move="stay", step=0)
    assert refusal(again, 409).startswith("You have answered this puzzle already.")
    assert again.get_json()["answer"] == "hit"
    assert phone.post("/tournament/1/deal/1", move="stay", step=1).status_code == 409
    assert phone.post("/tournament/1/deal/2", move="deal", step=0).status_code == 422
    phone.post("/tournament/1/deal/2", move="stay", step=0)
    last = phone.post("/tournament/1/deal/3", page=True, move="hit", step=0)
    assert last.location == address
    assert phone.json("/tournament/1")["you"]["played"] == 3
    assert refusal(phone.post("/tournament/1/deal/4", move="hit", step=0)).startswith("You have")


def _all_pages(phone: Phone) -> str:
    """Return everything that a student can read about the homework, also as JSON."""
    paths = ("", "/me.json", "/tournaments", "/tournament/1", "/projector?show=standings")
    deals = tuple(f"/tournament/1/deal/{number}" for number in (1, 2, 3))
    texts = [phone.get(path).text for path in (*paths, *deals)]
    headers = {"Accept": "application/json"}
    texts += [phone.get(path, headers=headers).text for path in (*paths, *deals)]
    return "\n".join((*texts, phone.client.get("/").text))


SOLUTION = re.compile(
    r"2\.5\b|2\.489|9\.285|9\.3\b|0\.0248|0\.0928|0\.605|0\.580|\bright\b|\bwrong\b|best play is|"
    r"The best play\.|Not the best|✓|✗|\"odds\":|\"score\":|\"points\":"
)


def test_price_is_hidden_in_every_byte_before_the_end(room: Room) -> None:
    pose(room)
    phone = room.phones[0]
    answer_puzzles(phone, "hit", "stay", "stay")
    assert SOLUTION.findall(_all_pages(phone)) == []
    assert try_move(room, "end").status_code == 200
    shown = _all_pages(phone)
    for text in ("2.489", "9.285", "Not the best play: 9.3 points given away.", "The best play."):
        assert text in shown


def test_two_students_with_different_answers_see_equal_pages(room: Room) -> None:
    """The pages after a right and a wrong answer differ only in the answer itself."""
    pose(room)
    pages = []
    for phone, move in zip(room.phones, ("hit", "stay"), strict=False):
        answer_puzzles(phone, move)
        text = phone.get("/tournament/1/deal/1").text
        pages.append(re.sub(r"You hit\.|You stood\.", "", text))
    assert pages[0] == pages[1]


def test_places_prices_and_reasons_are_shown_after_the_due_time(room: Room, watch: Watch) -> None:
    watch.now = 1_792_000_000
    pose(room, until=local(watch.now + HOUR))
    best, other, third = room.phones[:3]
    answer_puzzles(best, "stay", "stay", "hit")
    answer_puzzles(other, "hit", "stay", "stay")
    answer_puzzles(third, "stay")
    watch.now += HOUR
    shown = other.json("/tournament/1")
    assert shown["you"]["deals"] == [CLOSE(HIT_16, abs=1e-5), 0, CLOSE(STAY_SOFT_18, abs=1e-5)]
    assert [(row["place"], row["points"]) for row in shown["best"]] == [
        (1, 0),
        (2, CLOSE(HIT_16 + STAY_SOFT_18, abs=1e-5)),
    ]
    late = third.post("/tournament/1/deal/2", move="hit", step=0)
    assert refusal(late).startswith("This homework has ended.")
    page = other.get("/tournament/1/deal/1").text
    assert "stand −58 points" in page
    replay = other.get("/tournament/1/deal/1/replay")
    assert replay.location.endswith("/tournament/1/deal/1")
    assert other.post("/tournament/1/deal/1/link").status_code == 404


def test_unanswered_puzzles_open_with_prices_after_the_end(room: Room) -> None:
    pose(room)
    phone, absent = room.phones[:2]
    answer_puzzles(phone, "stay")
    # The puzzle is not available before the end.
    assert phone.get("/tournament/1/deal/3").status_code == 303
    assert try_move(room, "end").status_code == 200
    for student, answered in ((phone, 1), (absent, 0)):
        page = student.get("/tournament/1").text
        assert page.count("not answered") == 3 - answered
        assert len(re.findall(r'href="[^"]*/deal/[123]"', page)) == 3
        puzzle = student.get("/tournament/1/deal/2").text
        assert "You did not answer this puzzle." in puzzle
        assert "The best play is to stand; the other play gives away 5.4 points." in puzzle
        assert 'name="move"' not in puzzle
        shown = student.json("/tournament/1/deal/2")
        assert shown["moves"] == []
        assert "answer" not in shown
        assert "points" not in shown
        late = student.post("/tournament/1/deal/2", move="stay", step=0)
        assert late.status_code != 200
        assert student.get("/tournament/1/deal/4").status_code == 303
    assert room.boss.json("/tournament/1")["puzzles"][1]["answers"] == {"hit": 0, "stay": 0}


def test_desk_shows_how_many_chose_what_beside_the_odds(room: Room) -> None:
    pose(room)
    for phone, move in zip(room.phones, ("hit", "hit", "stay"), strict=False):
        answer_puzzles(phone, move)
    (first, second, _) = room.boss.json("/tournament/1")["puzzles"]
    assert first["answers"] == {"hit": 2, "stay": 1}
    assert first["prices"] == {"hit": CLOSE(HIT_16, abs=1e-5), "stay": 0}
    assert first["best"] == "stay"
    assert second["answers"] == {"hit": 0, "stay": 0}
    page = room.boss.get("/tournament/1").text
    assert "Puzzle 1: 16 against a queen" in page
    assert "2 of 3, 67%" in page.replace(",\n  ", ", ")
    assert "gives away 2.5 points" in page
    assert "−58</td>" in page
    assert "puzzles" not in room.phones[0].json("/tournament/1")


def test_student_who_leaves_is_not_counted_on_the_desk(room: Room) -> None:
    pose(room)
    answer_puzzles(room.phones[0], "hit")
    room.phones[0].post("/leave", what="forget")
    assert room.boss.json("/tournament/1")["puzzles"][0]["answers"] == {"hit": 0, "stay": 0}


def test_browser_does_not_answer_twice_under_another_name(room: Room) -> None:
    pose(room)
    phone = room.phones[0]
    answer_puzzles(phone, "hit")
    phone.post("/leave", what="forget")
    phone.join()
    again = phone.post("/tournament/1/deal/1", move="stay", step=0)
    assert refusal(again) == ("This browser has answered puzzle 1 already, as another student.")


def test_csv_has_prices_answers_and_real_names(room: Room) -> None:
    pose(room)
    answer_puzzles(room.phones[0], "hit", "stay", "hit")
    answer_puzzles(room.phones[1], "stay")
    text = room.boss.get("/dashboard/tournaments.csv").text.lstrip("\ufeff")
    rows = [*csv.DictReader(io.StringIO(text))]
    done, begun = rows[:2]
    assert [done[f"answer {number}"] for number in (1, 2, 3)] == ["hit", "stay", "hit"]
    assert [done[f"deal {number}"] for number in (1, 2, 3)] == ["2.5", "0.0", "0.0"]
    assert (done["played"], done["place"], done["points"]) == ("3", "1", "2.5")
    assert [begun[f"answer {number}"] for number in (1, 2, 3)] == ["stay", "", ""]
    named = room.boss.get("/dashboard/tournaments.csv?names=yes").text
    assert "real name" in named.splitlines()[0]
    students = room.boss.get("/dashboard/students.csv").text.lstrip("\ufeff")
    first = next(csv.DictReader(io.StringIO(students)))
    assert (first["1. Homework 1: points"], first["1. Homework 1: deals"]) == ("2", "3")


def test_csv_without_puzzles_has_its_old_columns(room: Room) -> None:
    tournaments.make(room, deals=2)
    head = room.boss.get("/dashboard/tournaments.csv").text.splitlines()[0]
    assert head.endswith("deal 1,deal 2")


def test_form_for_puzzles_is_one_link_away(room: Room) -> None:
    page = room.boss.get("/tournaments").text
    assert "kind=puzzles" in page
    assert "<textarea" not in page
    assert "<textarea" in room.boss.get("/tournaments?kind=puzzles").text
