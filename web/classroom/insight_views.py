"""``/class/CODE/insight``: what a class should learn next, for its instructor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import flask
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.text import Text, comma_join
from web.charts import Span, spans
from web.classroom.access import led_class
from web.classroom.answers import csv_response, page_of
from web.classroom.dashboard import extend_expiry
from web.classroom.insight import StudentPlay, TableInsight, advisor_at
from web.classroom.insight_summary import (
    chosen_table,
    decision_document,
    insight_of,
    replay_of,
)
from web.classroom.state import ClassState, class_store, page_version
from web.classroom.updates import answer_known_page, is_here, last_seen
from web.http.downloads import Cell
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.takes_long import takes_long
from web.storage.sessions import renew_session

MAX_LISTED: Final = 12
"""Maximum number of costly decisions on the page; the spreadsheet has all."""

blueprint = flask.Blueprint("class-insight", __name__)
blueprint.before_request(answer_known_page)


@dataclass(frozen=True, slots=True)
class StudentRow:
    """How one student has played."""

    name: str
    student: StudentPlay
    span: Span | None


@blueprint.get("/class/<code>/insight")
@takes_long
def show(code: str) -> flask.Response:
    """Show how a class plays at a table; the class lives on from now."""
    state = led_class(code)
    renew_session()
    extend_expiry(state)
    found = insight_of(state)
    waiting = class_store().insight.count_waiting(state.code)
    if wants_json():
        return json_response(_document(state, found, waiting))
    table = chosen_table(found, flask.request.args.get("table", ""))
    seen, now = last_seen(state), state.counters.now
    rows, top = _student_rows(state, table) if table else ([], "")
    return render_page(
        "class/insight.html",
        state=state,
        version=page_version(state.counters, "insight"),
        here_now=sum(is_here(seen[one.number].at, now) for one in state.students),
        tables={slug: GAMES[slug].info.title for slug in found},
        table=table,
        costly=table.costly[:MAX_LISTED] if table else (),
        replay_of=replay_of,
        students=page_of(rows, lambda row: row.name),
        top=top,
        waiting=waiting,
        at=comma_join(game.info.title for slug, game in GAMES.items() if advisor_at(slug)),
    )


@blueprint.get("/class/<code>/insight/<what>.csv")
@takes_long
def spreadsheet(code: str, what: str) -> flask.Response:
    """Return the same for a spreadsheet, under nicknames: the students, or the decisions."""
    state = led_class(code)
    if what == "students":
        return _students_csv(state)
    if what == "decisions":
        return _decisions_csv(state)
    raise NotFound


def _student_rows(state: ClassState, table: TableInsight) -> tuple[list[StudentRow], Text]:
    """Return how each student has played at a table, and the end of the axis of intervals."""
    drawn, top = spans([one.given for one in table.students if one.given])
    places = iter(drawn)
    rows = [
        StudentRow(_name(state, one), one, next(places) if one.given else None)
        for one in table.students
    ]
    return rows, top


def _name(state: ClassState, one: StudentPlay) -> str:
    return state.members[one.number].student.name


# ---- For programs and spreadsheets ---------------------------------------------------------------


def _document(state: ClassState, found: Mapping[str, TableInsight], waiting: int) -> dict[str, Any]:
    return {
        "class": state.code,
        "title": state.classroom.title,
        "waiting": waiting,
        "tables": {
            slug: {
                "rounds": table.rounds,
                "decisions": [decision_document(one) for one in table.costly],
                "students": [
                    {
                        "number": one.number,
                        "name": _name(state, one),
                        "rounds": one.play.rounds,
                        "won": one.play.won,
                        "decisions": one.play.decisions,
                        "per_100": one.given.mean if one.given else None,
                        "interval": one.given[1:] if one.given else None,
                    }
                    for one in table.students
                ],
            }
            for slug, table in found.items()
        },
    }


def _students_csv(state: ClassState) -> flask.Response:
    """Return how each student has played at each table, under nicknames."""
    head = (
        *("number", "nickname", "table", "rounds", "won", "decisions"),
        *("points given away per 100 decisions", "from", "to"),
    )
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state).items():
        for one in table.students:
            given = [round(end, 3) for end in one.given] if one.given else [None] * 3
            play = (one.play.rounds, one.play.won, one.play.decisions)
            lines.append((one.number, _name(state, one), slug, *play, *given))
    return csv_response(f"{state.code}-insight.csv", head, lines)


def _decisions_csv(state: ClassState) -> flask.Response:
    """Return a class's costliest decisions, of three students at least each."""
    head = ("table", "decision", "students", "of", "times", "points each", "points in all")
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state).items():
        for one in table.costly:
            counts = (one.students, one.of, one.mistake.times)
            lines.append((slug, one.what, *counts, round(one.each, 3), round(one.points, 3)))
    return csv_response(f"{state.code}-decisions.csv", head, lines)
