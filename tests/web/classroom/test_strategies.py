"""Strategy charts that students hand in: the form, what they are worth, and who sees it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import flask
import pytest

from cardgames.games.twentyone import BLACKJACK
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies import rate
from cardgames.strategies.best import best_chart
from cardgames.strategies.chart import Cell, StrategyChart, cells
from cardgames.strategies.rating_steps import PartialRating
from tests.support.classroom import JSON, Phone, Room, open_room, refusal, site
from tests.support.site import texts
from web.classes.strategies import Chart, StoredChart, standings
from web.classroom.jobs import make_rater
from web.settings import Settings
from web.storage import open_store

NINES = "hard 16 HSSSSSHHHH\nsoft 18 HSSSSSSSHH\n"


@pytest.fixture
def app(tmp_path: Path) -> flask.Flask:
    return site(tmp_path)


@pytest.fixture
def room(app: flask.Flask) -> Room:
    return open_room(app, 2)


@pytest.fixture
def work(tmp_path: Path) -> Callable[[], None]:
    """Do what the background process does, until nothing waits."""

    def all_of_it() -> None:
        task = make_rater(Settings(data_dir=tmp_path), open_store(tmp_path, ""))
        while task():
            pass

    return all_of_it


def hand_in(phone: Phone, rows: str = NINES, table: str = "blackjack") -> int:
    answer = phone.post("/strategies", table=table, rows=rows)
    assert answer.status_code == 200, answer.text
    number: int = answer.get_json()["chart"]
    return number


def quickly(room: Room, *evs: float, decks: tuple[float, float] | None = None) -> None:
    """Settle the charts that wait, without working anything out."""
    store = room.app.extensions["class-store"].charts
    for ev in evs:
        found = store.waiting()
        assert found
        done = PartialRating((ev,), ((0.0,) * 28,) * 10, decks)
        store.settle(*found, done)


def fields_of(page: str) -> dict[str, str]:
    """Return what the grid of a page would send as it stands."""
    boxes = re.findall(r'<input type="checkbox" name="([^"]+)" value="H"( checked)?', page)
    assert len(boxes) == len(set(boxes))
    return {name: "H" for name, checked in boxes if checked}


def test_the_form_begins_as_the_dealer_plays_and_is_taken_as_it_is_pressed(room: Room) -> None:
    """Without a script."""
    table, places = "blackjack", 280
    phone, other = room.phones
    page = phone.get(f"/strategies?new={table}").text
    assert page.count('type="checkbox"') == places
    pressed, dealer = fields_of(page), StrategyChart.read(TABLES[table], "dealer")

    def sent() -> dict[str, Any]:
        form = {"table": table, "grid": "1", **pressed}
        answer = phone.post("/strategies", page=True, **form)
        assert answer.status_code == 303
        return phone.json(answer.headers["Location"].partition(room.code)[2])

    first = sent()
    assert first["rows"] == str(dealer)
    assert (first["table"], first["phase"], first["ev"]) == (table, "waiting", None)
    pressed.pop("hard-16-T")
    pressed["hard-18-9"] = "H"
    changed = dealer.changed(
        Cell(soft=False, total=16, upcard=10), Cell(soft=False, total=18, upcard=9)
    )
    assert sent()["rows"] == str(changed)
    assert fields_of(phone.get(f"/strategies?new={table}&start=2").text) == pressed
    assert fields_of(other.get(f"/strategies?new={table}&start=2").text) != pressed


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"rows": "hard 16 HSSSSSHHH"}, "Line 1 of the strategy is not hard or soft"),
        ({"rows": "best"}, "There is no line of a chart in it"),
        ({"rows": NINES, "table": "war"}, "Charts are for one of these tables: simple-21"),
    ],
)
def test_what_is_no_chart_is_refused_with_a_sentence_and_nothing_is_lost(
    room: Room, fields: dict[str, str], says: str
) -> None:
    phone = room.phones[0]
    form: dict[str, Any] = {"table": "blackjack", **fields}
    assert refusal(phone.post("/strategies", **form)).startswith(says)
    page = phone.post("/strategies", page=True, **form)
    assert page.status_code == 422
    (said,) = texts(page.text, r'role="alert">(.*?)</p>')
    assert said.startswith(says)
    (typed,) = texts(page.text, r"<textarea[^>]*>\n(.*?)</textarea>")  # browsers drop the first
    assert typed == fields["rows"]
    assert phone.json("/strategies")["charts"] == []


def test_a_grid_that_is_refused_stands_as_it_was(room: Room) -> None:
    pressed = {"hard-16-T": "H", "soft-18-9": "H"}
    for total in range(12, 17):
        hand_in(room.phones[0], f"hard {total} SSSSSSSSSS")
    form = {"table": "blackjack", "grid": "1", **pressed}
    answer = room.phones[0].post("/strategies", page=True, **form)
    assert answer.status_code == 422
    assert "You have handed in 5 charts within a day" in answer.text
    assert fields_of(answer.text) == pressed


def test_who_has_stepped_out_or_never_joined_hands_nothing_in(room: Room) -> None:
    phone = room.phones[0]
    for who in (room.visitor(), room.boss):
        assert who.post("/strategies", table="blackjack", rows=NINES).status_code == 403
    for move, why in (
        (lambda: phone.post("/leave", what="step-out"), "You have stepped out of this class"),
        (lambda: (phone.post("/leave", what="step-in"), room.move("close")), "This class is over."),
    ):
        move()
        assert refusal(phone.post("/strategies", table="blackjack", rows=NINES)).startswith(why)


@pytest.mark.slow
def test_a_chart_is_rated_beside_the_server_and_never_in_a_request(
    room: Room, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mimic-the-dealer's worth to 1e-9, and what each place costs, as the core has it."""
    phone = room.phones[0]
    with monkeypatch.context() as patch:
        patch.setattr("cardgames.strategies.rating._Followed", None)  # would fail if it was asked
        number = hand_in(phone, str(StrategyChart.read(BLACKJACK, "dealer")))
        page = phone.get(f"/strategies?chart={number}")
        assert "being worked out" in page.text
        assert '<meta http-equiv="refresh"' in page.text
    work()
    with monkeypatch.context() as patch:
        patch.setattr("cardgames.strategies.rating._Followed", None)
        told = phone.json(f"/strategies?chart={number}")
        page = phone.get(f"/strategies?chart={number}")
    assert told["phase"] == "rated"
    assert told["ev"] == pytest.approx(-0.1823526844, abs=1e-9)
    assert told["decks"] is None
    dealer, best = StrategyChart.read(BLACKJACK, "dealer"), best_chart("blackjack")
    exact = rate(dealer)
    assert {one["place"] for one in told["differences"]} == {
        str(cell) for cell in dealer.differences(best)
    }
    costs = {str(cell): exact.cost(cell) for cell in cells(BLACKJACK)}
    for one in told["differences"]:
        assert one["cost"] == pytest.approx(costs[one["place"]], abs=1e-9)
    assert "Worth -18.2353 points a round" in page.text


@pytest.mark.parametrize(
    ("table", "rated", "places"),
    [
        (  # exact places are numbers, and equal ones the same
            "blackjack",
            [*((1, -0.15), (2, -0.14), (3, -0.14 - 5e-10), (4, -0.16), (1, -0.2))],
            [(1, 1, 2), (1, 1, 3), (3, 3, 1), (4, 4, 4)],
        ),
        (  # -1 ± 1 and -2.5 ± 1 overlap, the latter and -4 ± 1 too; the first and the last do not
            "one-deck",
            [
                *((1, 0.0, (-1.0, 1.0)), (2, 0.0, (-2.5, 1.0)), (3, 0.0, (-4.0, 1.0))),
                (4, 0.0, (-9, 0.5)),
            ],
            [(1, 2, 1), (1, 3, 2), (2, 3, 3), (4, 4, 4)],
        ),
    ],
)
def test_places_are_exact_or_ranges_where_intervals_overlap(
    table: str, rated: list[Any], places: list[tuple[int, int, int]]
) -> None:
    charts = []
    for number, (student, expected, *decks) in enumerate(rated, 1):
        kept = StoredChart(0.0, table, str(best_chart(table)), "rated", (expected,), *decks)
        charts.append(Chart(number, student, kept))
    found = standings(charts, table)
    assert [(one.first, one.last, one.chart.student) for one in found] == places


def test_students_see_the_best_five_and_themselves_and_the_instructor_all(app: flask.Flask) -> None:
    room = open_room(app, 8)
    for phone in room.phones:
        hand_in(phone)
    quickly(room, *(-0.1 - 0.01 * place for place in range(8)))
    names = [phone.name for phone in room.phones]

    def listed(phone: Phone) -> list[tuple[int, str]]:
        found = phone.json("/strategies")["standings"]["blackjack"]
        return [(one["places"][0], one["name"]) for one in found]

    every = [*enumerate(names, start=1)]
    assert listed(room.boss) == every
    assert listed(room.phones[0]) == every[:5]
    assert listed(room.phones[7]) == [*every[:5], (8, names[7])]
    page = room.phones[7].get("/strategies?table=blackjack").text
    assert [name in page for name in names] == [True] * 5 + [False, False, True]


def test_only_its_student_and_the_instructor_see_a_chart(room: Room) -> None:
    number = hand_in(room.phones[0])
    address = f"/strategies?chart={number}"
    assert room.phones[0].get(address).status_code == 200
    assert room.boss.get(address).status_code == 200
    assert room.phones[0].name in room.boss.get(address).text
    for headers in ({}, JSON):
        answer = room.phones[1].get(address, headers=headers)
        assert answer.status_code == 403
        assert "HSSSSSHHHH" not in answer.text
    assert room.phones[1].json("/strategies")["charts"] == []
    with_it = room.phones[1].json(f"/strategies?chart={hand_in(room.phones[1])}&with={number}")
    assert with_it["with"] == "best"


def test_charts_are_shown_to_their_student_and_forgotten_with_them(room: Room) -> None:
    phone, other = room.phones
    hand_in(phone)
    hand_in(other)
    quickly(room, -0.15, -0.16)
    (kept,) = phone.json("/me.json")["strategy_charts"]
    assert (kept["table"], kept["points"]) == ("blackjack", pytest.approx(-15.0))
    phone.post("/leave", what="forget")
    assert [one["chart"] for one in room.boss.json("/strategies")["charts"]] == [2]
    room.move("ban", student=other.number)
    assert room.boss.json("/strategies")["charts"] == []
