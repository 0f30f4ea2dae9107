"""Places are right against arithmetic of the tests' own, whoever plays when and from where."""

from collections.abc import Callable
from typing import Any

import flask
import pytest

from cardgames.shared_deal import DecisionCost
from tests.support.classroom import Phone, Room, open_room
from tests.support.tournaments import (
    Decide,
    at_random,
    given_away,
    judge,
    kept,
    make,
    places,
    play_deal,
    result,
    stands_on,
)
from web.classroom.tournaments import (
    Costs,
    Entry,
    Play,
    Ranking,
    Standings,
    Tournament,
    placed,
    unplaced,
)

DEALS = 3


def rows_of(room: Room) -> dict[str, dict[str, Any]]:
    """Return what the instructor sees of each student, by nickname."""
    return {row["name"]: row for row in room.boss.json("/tournament/1")["students"]}


@pytest.mark.parametrize("table", ["simple-21", "one-deck"])
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
    room = open_room(school, 6)
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
