"""Ranks agree with the tests' own computation, for any order of play and any kind of client."""

from typing import Any

import flask
import pytest

from tests.support.classroom import Phone, Room, open_room
from tests.support.tournaments import (
    Decide,
    at_random,
    given_away,
    kept,
    make,
    places,
    play_deal,
    stands_on,
)
from web.classroom.homework.models import Tournament
from web.classroom.homework.rules import Standing, ranked

DEALS = 3


def rows_of(room: Room) -> dict[str, dict[str, Any]]:
    """Return the instructor's view of each student, keyed by nickname."""
    return {row["name"]: row for row in room.boss.json("/tournament/1")["students"]}


@pytest.mark.parametrize("table", ["simple-21", "one-deck"])
def test_places_are_those_of_independent_arithmetic(school: flask.Flask, table: str) -> None:
    room = open_room(school, 6)
    make(room, table=table, deals=DEALS)

    def player(phone: Phone, deal: int) -> Decide:
        """Return a student's strategy.

        Every fourth student has the same strategy, so that ranks are shared.
        """
        return at_random(f"{phone.name} {deal}") if phone.number % 4 else stands_on(17)

    for phone in room.phones:
        for deal in range(1, DEALS + 1):
            play_deal(phone, deal, player(phone, deal))
    tournament = kept(room)
    totals = {
        phone.name: sum(
            given_away(tournament, deal, player(phone, deal)) for deal in range(1, DEALS + 1)
        )
        for phone in room.phones
    }
    expected = places(totals)
    for name, row in rows_of(room).items():
        assert row["points"] == pytest.approx(100 * totals[name], abs=1e-7)
        assert row["place"] == expected[name]


@pytest.mark.parametrize(
    ("scores", "expected", "finished"),
    [
        (  # Results that differ only by rounding share a rank, and the next rank is skipped.
            {1: (30.0, 0.0), 2: (100 * (0.1 + 0.2), 0.0), 3: (60.0, 0.0), 4: (0.0, 0.0)},
            [(4, 1), (1, 2), (2, 2), (3, 4)],
            4,
        ),
        ({1: (30.000001, 0.0), 2: (0.0, 30.0)}, [(2, 1), (1, 2)], 2),
        # A missing deal does not count as a loss.
        (
            {1: (25.0,), 2: (25.0, 10.0), 3: (25.0,), 4: ()},
            [(2, 1), (1, 0), (3, 0), (4, 0)],
            1,
        ),
    ],
)
def test_places_in_the_standings(
    scores: dict[int, tuple[float, ...]],
    expected: list[tuple[int, int]],
    finished: int,
) -> None:
    """Students who have not finished come last, sorted by the number of played deals."""
    students = [
        Standing(number, f"student {number}", len(own), sum(own)) for number, own in scores.items()
    ]
    rows = ranked(2, students)
    assert [(row.student, row.rank) for row in rows] == expected
    assert sum(row.rank > 0 for row in rows) == finished


def test_score_is_the_sum_of_points_given_away() -> None:
    """Two decisions: to stand immediately, or to hit and then decide again."""
    one = Tournament(table="blackjack", deals=1, salt=bytes(16), skips=[0])
    one.costs = [[[0.25, 0.0], [0.0, 0.5]]]
    for moves, points in (("stay", 25.0), ("hit stay", 0.0), ("hit*2", 50.0), ("hit hit", 50.0)):
        assert one.score(1, moves) == points
