"""``/class/CODE/insight``: what a class should learn next, for its instructor."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

import flask

from cardgames import GAMES
from cardgames.strategies.habits import HABITS, has_hands
from cardgames.text import Text, comma_join
from web.charts import axis_end
from web.classroom.answers import chosen, class_address, csv_response, page_of, require
from web.classroom.codes import tidy_code
from web.classroom.dashboard_moves import ClassMove, MoveRequest, Options, answer_move, writing
from web.classroom.insight import PERIODS, asked_period
from web.classroom.misconceptions import (
    StudentPlay,
    TableInsight,
    alike,
    chosen_table,
    insight_of,
    misconceptions,
    position_of,
    with_replays,
)
from web.classroom.state import ClassState, led_class, page_version, visited_class
from web.classroom.tournament_moves import NO_HANDS, may_make
from web.classroom.tournaments import TABLES
from web.classroom.updates import answer_known_page, is_here, last_seen
from web.classroom.votes import may_ask, newest_vote
from web.http.downloads import Cell
from web.http.requests import wants_json
from web.http.responses import json_response, render_page

MAX_LISTED: Final = 12
"""Maximum number of costly decisions on the page; the spreadsheet has all."""

blueprint = flask.Blueprint("class-insight", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/insight")
def show(code: str) -> flask.Response:
    """Show how a class plays at a table; the class lives on from now."""
    return _answer(visited_class(code))


@blueprint.post("/class/<code>/insight")
def move(code: str) -> flask.Response:
    """Give the class a drill or take it back, or refuse it."""
    table = flask.request.args.get("table", "")
    query = {"table": table if table in GAMES else "", "days": asked_period()}
    address = f"{class_address(tidy_code(code))}/insight?{urlencode(query)}"
    return answer_move(code, _moves, _answer, address=address)


def _moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about a drill that are possible now."""
    if not state.classroom.closed and flask.current_app.config["COACH"]:
        habits: Options = {name: one.about for name, one in HABITS.items() if one.is_drilled}
        yield ClassMove("drill", Text("Drill it"), _drill, {"table": TABLES, "habit": habits})
    if state.classroom.drill:
        no_drill = writing(drill_table="", drill_habit="")
        yield ClassMove("end-drill", Text("End the drill"), no_drill)


def _drill(request: MoveRequest) -> None:
    # Any habit may be named: of one that cannot be drilled, no table has hands.
    table, habit = request.choice("table"), chosen(request.fields, "habit", (*HABITS,))
    require(has_hands(table, habit), NO_HANDS)
    request.state.write_move(drill_table=table, drill_habit=habit)


def _answer(state: ClassState, status: int = 200, refusal: str = "", *_: object) -> flask.Response:
    """Answer with how a class has played in the period that was asked for."""
    found = insight_of(state, asked_period())
    moves = {move.name: move for move in _moves(state)}
    if wants_json():
        return json_response(_document(state, found, moves.values()), status, refusal)
    table = chosen_table(found, flask.request.args.get("table", ""))
    table = table and _with_replays(state, table)
    return render_page(
        "class/insight.html",
        status,
        state=state,
        version=page_version(state.counters, "insight"),
        here_now=_count_here(state),
        tables=found,
        table=table,
        period=asked_period(),
        periods=PERIODS,
        moves=moves,
        titles=TABLES,
        at=comma_join(TABLES.values()),
        refusal=refusal,
        may_vote=may_ask(state, newest_vote(state)),
        may_play=may_make(state),
        **(_shown_of(state, table) if table else {}),
    )


def _with_replays(state: ClassState, table: TableInsight) -> TableInsight:
    """Return how a class has played at a table, with rounds of its costly decisions."""
    return replace(table, costly=with_replays(state, asked_period(), table.costly))


def _count_here(state: ClassState) -> int:
    """Return how many students are here."""
    seen, now = last_seen(state), state.counters.now
    return sum(is_here(seen[member.number].at, now) for member in state.students)


def _shown_of(state: ClassState, table: TableInsight) -> dict[str, Any]:
    """Return what the page shows of a table."""
    students = table.students
    return {
        "costly": table.costly[:MAX_LISTED],
        "beliefs": misconceptions(state, table, asked_period()),
        "alike": partial(alike, table),
        "position_of": position_of,
        "has_hands": has_hands,
        "list": page_of(students, lambda one: _name(state, one)),
        "top": axis_end(max((one.given.high for one in students if one.given), default=0.0)),
    }


def _document(
    state: ClassState, found: Mapping[str, TableInsight], moves: Iterable[ClassMove]
) -> dict[str, Any]:
    """Return how a class has played, as JSON."""
    return {
        "class": state.code,
        "title": state.classroom.title,
        "step": state.counters.version,
        "moves": [move.document() for move in moves],
        "days": asked_period(),
        "periods": PERIODS,
        "drill": state.classroom.drill and state.classroom.drill._asdict(),
        "tables": {slug: _table_document(state, table) for slug, table in found.items()},
    }


def _table_document(state: ClassState, table: TableInsight) -> dict[str, Any]:
    """Return how a class has played at a table, as JSON."""
    table = _with_replays(state, table)
    beliefs = misconceptions(state, table, asked_period())
    return {
        "rounds": table.rounds,
        "misconceptions": [
            one.document() | {"decisions": [cell.document() for cell in alike(table, one)]}
            for one in beliefs.listed
        ],
        "unlisted": {"points": beliefs.unlisted, "of": beliefs.total},
        "decisions": [decision.document() for decision in table.costly],
        "students": [
            {
                "number": student.number,
                "name": _name(state, student),
                "rounds": student.play.rounds,
                "won": student.play.won,
                "decisions": student.play.decisions,
                "per_100": student.given.mean if student.given else None,
                "interval": student.given[1:] if student.given else None,
            }
            for student in table.students
        ],
    }


def _name(state: ClassState, one: StudentPlay) -> str:
    return state.members[one.number].name


@blueprint.get("/class/<code>/insight/students.csv")
def students(code: str) -> flask.Response:
    """Return how each student has played at each table, under nicknames."""
    state = led_class(code)
    head = (
        *("number", "nickname", "table", "rounds", "won", "decisions"),
        *("points given away per 100 decisions", "from", "to"),
    )
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state, asked_period()).items():
        for student in table.students:
            given = [round(end, 3) for end in student.given] if student.given else [None] * 3
            play = (student.play.rounds, student.play.won, student.play.decisions)
            lines.append((student.number, _name(state, student), slug, *play, *given))
    return csv_response(f"{state.code}-insight.csv", head, lines)


@blueprint.get("/class/<code>/insight/decisions.csv")
def decisions(code: str) -> flask.Response:
    """Return a class's costliest decisions, of three students at least each."""
    state = led_class(code)
    head = ("table", "decision", "students", "of", "times", "points each", "points in all")
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state, asked_period()).items():
        for decision in table.costly:
            counts = (decision.students, decision.of, decision.mistake.times)
            lines.append(
                (slug, decision.what, *counts, round(decision.each, 3), round(decision.points, 3))
            )
    return csv_response(f"{state.code}-decisions.csv", head, lines)
