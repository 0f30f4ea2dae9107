"""Places are right against arithmetic of the tests' own, whoever plays when and from where."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import flask
import pytest

from cardgames.shared_deal import PlayedLine
from tests.support.classroom import JSON, Phone, Room, open_room
from tests.support.tournaments import (
    Decide,
    at_random,
    given_away,
    judge,
    kept,
    make,
    places,
    play_all,
    play_deal,
    result,
    shared,
    stands_on,
)
from web.classroom.standings import Standings, placed, unplaced
from web.classroom.tournaments import (
    Costs,
    DecisionCost,
    Entry,
    Play,
    Ranking,
    Tournament,
    deal_costs,
    line_cost,
)

DEALS = 5


def rows_of(room: Room) -> dict[str, dict[str, Any]]:
    """Return what the instructor sees of each student, by nickname."""
    return {row["name"]: row for row in room.boss.json("/tournament/1")["students"]}


@pytest.mark.parametrize("table", ["simple-21", "blackjack", "one-deck"])
@pytest.mark.parametrize(
    ("ranking", "worth", "scale"), [("play", given_away, 100), ("result", result, 1)]
)
def test_places_are_those_of_independent_arithmetic(
    school: flask.Flask,
    table: str,
    ranking: str,
    worth: Callable[[Tournament, int, Decide], float],
    scale: int,
) -> None:
    room = open_room(school, 10)
    make(room, table=table, deals=DEALS, ranking=ranking)

    def player(phone: Phone, deal: int) -> Decide:
        """Return how a student decides: every fourth alike, so that places are shared."""
        return at_random(f"{phone.name} {deal}") if phone.number % 4 else stands_on(17)

    for phone in room.phones:
        for deal in range(1, DEALS + 1):
            play_deal(phone, deal, player(phone, deal))
    assert judge(school) == (ranking == "play")
    tournament = kept(room)
    totals = {
        phone.name: sum(
            worth(tournament, deal, player(phone, deal)) for deal in range(1, DEALS + 1)
        )
        for phone in room.phones
    }
    expected = places(totals, fewest=ranking == "play")
    for name, row in rows_of(room).items():
        assert row["points"] == pytest.approx(scale * totals[name], abs=1e-7)
        assert row["place"] == expected[name]
    for phone in room.phones:
        assert phone.json("/tournament/1")["you"]["place"] == expected[phone.name]


def tournament(deals: int = 2, ranking: Ranking = "play") -> Tournament:
    return Tournament(1, "", "blackjack", deals, ranking, "best", 0.0, 0.0, b"salt")


def standings(ranking: Ranking, costs: Costs, played: dict[int, str]) -> Standings:
    """Return who stands where; "stay=dealer, hit stay=" is a deal lost, and one still open."""
    entries = {
        number: Entry(
            tuple(Play(*play.strip().split("=")) for play in plays.split(",") if play), 1.0
        )
        for number, plays in played.items()
    }
    one = tournament(ranking=ranking)
    return placed(one, unplaced(one, entries, costs), {who: f"student {who}" for who in range(9)})


COSTS = ((DecisionCost(0.25, 0.0), DecisionCost(0.0, 0.5)), (DecisionCost(0.1, 0.2),))
ROUNDED = ((DecisionCost(0.1 + 0.2, 0.0),), (DecisionCost(0.0, 0.3),))
APART = ((DecisionCost(0.3 + 1e-8, 0.0),), (DecisionCost(0.0, 0.3),))
LOST = "stay=dealer, stay=dealer"
TWO_HIT = "hit=dealer, hit=dealer"
THREE = {1: LOST, 2: "hit stay=dealer, stay=dealer", 3: "stay=dealer"}


@pytest.mark.parametrize(
    ("ranking", "costs", "played", "expected", "finished", "to_come"),
    [
        (  # what differs by rounding is the same place, and the next is counted on
            *("play", ROUNDED),
            {1: LOST, 2: TWO_HIT, 3: "stay=dealer, hit=dealer", 4: "hit=dealer, stay=dealer"},
            [(4, 1, 0.0), (1, 2, 30.0), (2, 2, 30.0), (3, 4, 60.0)],
            *(4, 0),
        ),
        ("play", APART, {1: LOST, 2: TWO_HIT}, [(2, 1, 30.0), (1, 2, 30.000001)], 2, 0),
        (  # missing is missing, and not lost
            *("play", COSTS),
            {1: "stay=dealer", 2: LOST, 3: "stay=dealer, =", 4: ""},
            [(2, 1, 35.0), (1, 0, 25.0), (3, 0, 25.0)],
            *(1, 0),
        ),
        # What is not worked out yet has no place.
        ("play", COSTS[:1], THREE, [(1, 0, 25.0), (2, 0, 0.0), (3, 0, 25.0)], 2, 2),
        ("result", (), THREE, [(1, 1, 0.0), (2, 1, 0.0), (3, 0, 0.0)], 2, 0),
        (  # a tie is half a round
            *("result", ()),
            {1: "stay=player, stay=dealer", 2: "stay=tie, stay=tie", 3: "stay=tie, stay=player"},
            [(3, 1, 1.5), (1, 2, 1.0), (2, 2, 1.0)],
            *(3, 0),
        ),
    ],
)
def test_who_stands_where(
    ranking: Ranking,
    costs: Costs,
    played: dict[int, str],
    expected: list[tuple[int, int, float]],
    finished: int,
    to_come: int,
) -> None:
    found = standings(ranking, costs, played)
    assert [(row.student, row.place) for row in found.rows] == [one[:2] for one in expected]
    assert [row.total for row in found.rows] == pytest.approx([one[2] for one in expected])
    assert (found.finished, found.to_come) == (finished, to_come)


def test_costs_of_lines_are_those_of_the_odds() -> None:
    one = tournament(deals=6)
    assert one.game.advisor
    for deal in range(1, 7):
        costs = deal_costs(shared(one, deal), one.game.advisor)
        for hits in range(len(costs) + 1):
            line = PlayedLine(hits, hits < len(costs), "")
            decide = as_written("hit " * hits + "stay")
            assert line_cost(costs, line) == pytest.approx(given_away(one, deal, decide), abs=1e-9)


def as_written(moves: str) -> Decide:
    """Return somebody who makes the moves of a record, where one word may stand for several."""
    counted = (word.partition("*") for word in moves.split())
    names = iter([name for name, _, times in counted for _ in range(int(times or 1))])
    return lambda _: next(names)


def test_two_browsers_and_hasty_fingers_play_each_deal_once(school: flask.Flask) -> None:
    """Every press is sent three times, from two browsers at once, with pages loaded in between."""
    room, rng = open_room(school, 4), random.Random("hasty")
    make(room, deals=4)

    def press(press: tuple[Phone, str, str, int]) -> int:
        phone, address, move, step = press
        return phone.post(address, move=move, step=step).status_code

    with ThreadPoolExecutor(4) as pool:
        for phone in room.phones:
            second = room.visitor()
            second.post("/rejoin", name=phone.name, code=phone.rejoin)
            browsers = [phone, second]
            while next_deal := rng.choice(browsers).json("/tournament/1")["next"]:
                address = f"/tournament/1/deal/{next_deal['deal']}"
                table = rng.choice(browsers).json(address)
                move = rng.choice(table["moves"])["name"]
                presses = [(one, address, move, table["step"]) for one in (*browsers, phone)]
                statuses = [*pool.map(press, presses)]
                assert statuses.count(200) == 1, statuses
                assert set(statuses) <= {200, 409, 422}
                rng.choice(browsers).get(address)
    judge(school)
    one, rows = kept(room), rows_of(room)
    for phone in room.phones:
        plays = [*enumerate(phone.json("/me.json")["tournaments"][0]["plays"], 1)]
        assert rows[phone.name]["played"] == len(plays) == 4
        lost = (given_away(one, deal, as_written(play["moves"])) for deal, play in plays)
        assert rows[phone.name]["points"] == pytest.approx(100 * sum(lost), abs=1e-7)
        worth = {"player": 1.0, "tie": 0.5, "dealer": 0.0}
        for deal, play in plays:
            assert result(one, deal, as_written(play["moves"])) == worth[play["winner"]]


def test_a_place_counts_only_those_who_are_in_the_class(school: flask.Flask) -> None:
    room = open_room(school, 4)
    make(room, deals=1)
    for phone in room.phones[:3]:
        play_all(phone, stands_on(16))
    judge(school)
    assert room.phones[0].json("/tournament/1")["you"]["place"] == 1
    room.move("rename", student=3, name="Renamed")
    assert "Renamed" in rows_of(room)
    room.move("ban", student=1)
    assert room.phones[1].post("/leave", what="forget").status_code == 200
    assert [*rows_of(room)] == ["Renamed"]
    assert room.phones[0].get("/tournament/1", headers=JSON).status_code == 403
    play_all(room.phones[3], stands_on(16))
    assert len(room.phones[3].json("/tournament/1")["best"]) == 2
