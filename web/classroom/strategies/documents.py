"""Strategy charts in JSON: what programs are told."""

from collections.abc import Iterable, Sequence
from typing import Any

from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies.best import best_chart
from web.classroom.state import ClassState
from web.classroom.strategies.comparison import BEST, differences, other_chart, others_at_table
from web.classroom.strategies.model import HandedIn, costs_of
from web.classroom.strategies.standings import Standing, may_see, name_of, standings


def chart_document(
    state: ClassState, one: HandedIn, others: Iterable[HandedIn] = (), compared: str = BEST
) -> dict[str, Any]:
    """Return a chart in JSON, with the places in which it parts from another.

    Args:
        state: the class.
        one: the chart.
        others: all that the class has handed in.
        compared: the key of the other one; the best chart stands for one that is not there.
    """
    other = other_chart(one, others_at_table(one, others), compared)
    if other is None:
        compared, other = BEST, best_chart(one.table)
    chart = one.chart
    parts = differences(one, other, costs_of(state, one)) if one.rating else []
    return {
        "class": state.code,
        "table": one.table,
        "name": name_of(state, one),
        "handed_in": one.at,
        "rows": one.rows,
        **_worth_document(one),
        "done": int(one.phase != "waiting"),
        "steps": 1,
        "with": compared,
        "differences": [
            {
                "place": str(cell),
                "decision": "hit" if chart.hits(cell) else "stay",
                "cost": cost,
            }
            for cell, cost in parts
        ],
    }


def list_document(
    state: ClassState, charts: Sequence[HandedIn], me: int, *, leads: bool
) -> dict[str, Any]:
    """Return where the charts stand, in JSON.

    Args:
        state: the class.
        charts: all that it has handed in.
        me: the number of the student who asks; 0 for none.
        leads: it is the instructor who asks.
    """
    found = {table: standings(charts, table) for table in TABLES}
    own = [one for one in charts if leads or one.student == me]
    return {
        "class": state.code,
        "title": state.classroom.title,
        "standings": {
            table: [
                _standing_document(state, one)
                for place, one in enumerate(placed)
                if may_see(one, place, me, leads=leads)
            ]
            for table, placed in found.items()
        },
        "charts": [
            {"table": one.table, "name": name_of(state, one), **_worth_document(one)} for one in own
        ],
    }


def _standing_document(state: ClassState, one: Standing) -> dict[str, Any]:
    """Return where a chart stands, in JSON."""
    return {
        "places": [one.first, one.last],
        "name": name_of(state, one.chart),
        **_worth_document(one.chart),
    }


def _worth_document(one: HandedIn) -> dict[str, Any]:
    """Return the rating of a chart, in JSON: points a round, and against the best one."""
    rating = one.rating
    decks = rating.decks if rating else None
    return {
        "chart": one.number,
        "phase": one.phase,
        "ev": rating.expected_value if rating else None,
        "points": rating.points if rating else None,
        "decks": {"mean": decks[0], "reach": decks[1]} if decks else None,
    }
