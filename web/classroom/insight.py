"""``/class/CODE/insight``: what a class should learn next, for its instructor."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue

from cardgames import GAMES
from cardgames.strategies.habits import HABITS, has_hands
from cardgames.text import Text, comma_join
from web.charts import axis_end
from web.classroom import forms, misconceptions
from web.classroom.access import led_class, save_move, visited_class
from web.classroom.forms import ClassMove, MoveRequest, Options
from web.classroom.lists import csv_response, page_of
from web.classroom.misconceptions import TableInsight
from web.classroom.models import Classroom
from web.classroom.plays import PERIODS, asked_period
from web.classroom.presence import answer_known_page, is_here
from web.classroom.students import names_of, not_banned, students_of
from web.classroom.tournament_moves import NO_HANDS, may_make
from web.classroom.tournaments import TABLES
from web.classroom.votes import may_ask, newest_vote
from web.http.downloads import Cell
from web.http.requests import wants_json

MAX_LISTED: Final = 12
"""Maximum number of costly decisions on the page; the spreadsheet has all."""

blueprint = flask.Blueprint("insight", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/insight")
def show(code: str) -> ResponseReturnValue:
    """Show how a class has played at a table in a period; the class lives on from now."""
    classroom = visited_class(code)
    found = misconceptions.insight_of(classroom, asked_period())
    if wants_json():
        return forms.json_page(_document(classroom, found))
    table = misconceptions.chosen_table(found, flask.request.args.get("table", ""))
    students = not_banned(students_of(classroom))
    return flask.render_template(
        "class/insight.html",
        classroom=classroom,
        version=classroom.etag("insight"),
        here_now=sum(is_here(student, classroom.now) for student in students),
        count=len(students),
        tables=found,
        table=table,
        period=asked_period(),
        periods=PERIODS,
        moves={move.name: move for move in _moves(classroom)},
        titles=TABLES,
        at=comma_join(TABLES.values()),
        may_vote=may_ask(classroom, newest_vote(classroom)),
        may_play=may_make(classroom),
        **(_shown_of(classroom, table) if table else {}),
    )


forms.refusing(blueprint, show)


@blueprint.post("/class/<code>/insight")
def move(code: str) -> ResponseReturnValue:
    """Give the class a drill or take it back, or refuse it."""
    table = flask.request.args.get("table", "")
    table = table if table in GAMES else ""
    return forms.make_move(code, _moves) or forms.lead_back(show, table=table, days=asked_period())


def _moves(classroom: Classroom) -> Iterator[ClassMove]:
    """Yield the moves about a drill that are possible now."""
    if not classroom.closed and flask.current_app.config["COACH"]:
        habits: Options = {name: one.about for name, one in HABITS.items() if one.is_drilled}
        yield ClassMove("drill", Text("Drill it"), _drill, {"table": TABLES, "habit": habits})
    if classroom.drill:
        no_drill = forms.writing(drill_table="", drill_habit="")
        yield ClassMove("end-drill", Text("End the drill"), no_drill)


def _drill(request: MoveRequest) -> None:
    # Any habit may be named: of one that cannot be drilled, no table has hands.
    table, habit = request.choice("table"), forms.chosen(request.fields, "habit", (*HABITS,))
    forms.require(has_hands(table, habit), NO_HANDS)
    save_move(request.classroom, drill_table=table, drill_habit=habit)


def _with_replays(classroom: Classroom, table: TableInsight) -> TableInsight:
    """Return how a class has played at a table, with rounds of its costly decisions."""
    return replace(
        table, costly=misconceptions.with_replays(classroom, asked_period(), table.costly)
    )


def _shown_of(classroom: Classroom, table: TableInsight) -> dict[str, Any]:
    """Return what the page shows of a table."""
    table = _with_replays(classroom, table)
    students, names = table.students, names_of(classroom)
    return {
        "costly": table.costly[:MAX_LISTED],
        "beliefs": misconceptions.misconceptions(classroom, table, asked_period()),
        "alike": partial(misconceptions.alike, table),
        "position_of": misconceptions.position_of,
        "has_hands": has_hands,
        "names": names,
        "list": page_of(students, lambda one: names[one.number]),
        "top": axis_end(max((one.given.high for one in students if one.given), default=0.0)),
    }


def _document(classroom: Classroom, found: Mapping[str, TableInsight]) -> dict[str, Any]:
    """Return how a class has played, as JSON."""
    names = names_of(classroom)
    return {
        "class": classroom.code,
        "title": classroom.title,
        "step": classroom.step,
        "moves": [move.document() for move in _moves(classroom)],
        "days": asked_period(),
        "periods": PERIODS,
        "drill": classroom.drill and classroom.drill._asdict(),
        "tables": {slug: _table_document(classroom, table, names) for slug, table in found.items()},
    }


def _table_document(
    classroom: Classroom, table: TableInsight, names: Mapping[int, str]
) -> dict[str, Any]:
    """Return how a class has played at a table, as JSON."""
    table = _with_replays(classroom, table)
    beliefs = misconceptions.misconceptions(classroom, table, asked_period())
    return {
        "rounds": table.rounds,
        "misconceptions": [
            one.document()
            | {"decisions": [cell.document() for cell in misconceptions.alike(table, one)]}
            for one in beliefs.listed
        ],
        "unlisted": {"points": beliefs.unlisted, "of": beliefs.total},
        "decisions": [decision.document() for decision in table.costly],
        "students": [
            {
                "number": student.number,
                "name": names[student.number],
                "rounds": student.play.rounds,
                "won": student.play.won,
                "decisions": student.play.decisions,
                "per_100": student.given.mean if student.given else None,
                "interval": student.given[1:] if student.given else None,
            }
            for student in table.students
        ],
    }


@blueprint.get("/class/<code>/insight/students.csv")
def students(code: str) -> ResponseReturnValue:
    """Return how each student has played at each table, under nicknames."""
    classroom = led_class(code)
    head = (
        *("number", "nickname", "table", "rounds", "won", "decisions"),
        *("points given away per 100 decisions", "from", "to"),
    )
    found, names = misconceptions.insight_of(classroom, asked_period()), names_of(classroom)
    lines: list[Sequence[Cell]] = []
    for slug, table in found.items():
        for student in table.students:
            given = [round(end, 1) for end in student.given] if student.given else [None] * 3
            play = (student.play.rounds, student.play.won, student.play.decisions)
            lines.append((student.number, names[student.number], slug, *play, *given))
    return csv_response(f"{classroom.code}-insight.csv", head, lines)


@blueprint.get("/class/<code>/insight/decisions.csv")
def decisions(code: str) -> ResponseReturnValue:
    """Return a class's costliest decisions, of three students at least each."""
    classroom = led_class(code)
    head = ("table", "decision", "students", "of", "times", "points each", "points in all")
    lines: list[Sequence[Cell]] = []
    for one in chain(
        *(table.costly for table in misconceptions.insight_of(classroom, asked_period()).values())
    ):
        counts = (one.students, one.of, one.mistake.times)
        lines.append((one.slug, one.what, *counts, round(one.each, 1), round(one.points, 1)))
    return csv_response(f"{classroom.code}-decisions.csv", head, lines)
