"""``/class/CODE/insight``: what a class should learn next, for its instructor."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import flask

from cardgames import GAMES
from cardgames.text import comma_join
from web.charts import axis_end
from web.classroom.access import led_class
from web.classroom.answers import csv_response, page_of, remembered
from web.classroom.dashboard import extend_expiry
from web.classroom.insight import StudentPlay, TableInsight, advisor_at, class_insight
from web.classroom.state import ClassState, class_store, page_version
from web.classroom.updates import answer_known_page, is_here, last_seen
from web.http.downloads import Cell
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.turns import takes_long
from web.storage.sessions import renew_session

MAX_LISTED: Final = 12
"""Maximum number of costly decisions on the page; the spreadsheet has all."""

blueprint = flask.Blueprint("class-insight", __name__)
blueprint.before_request(answer_known_page)


def insight_of(state: ClassState) -> Mapping[str, TableInsight]:
    """Return how a class has played, by the tables at which it has; who is banned is left out.

    A worker remembers it until a round is judged, or a student comes or goes: of 1,000 students it
    takes 24 ms.
    """
    store = class_store().insight

    def add_up() -> dict[str, TableInsight]:
        known = {member.number for member in state.students}
        plays = store.plays(state.code)
        return class_insight({kept.student: kept.play for kept in plays if kept.student in known})

    version = store.version(state.code), state.counters.students
    return remembered(("insight", state.code), version, add_up)


def chosen_table(state: ClassState, asked: str) -> TableInsight | None:
    """Return how a class has played at the table that was asked for.

    At the one with most rounds where it has not played there; None where nothing is judged yet.
    """
    found = insight_of(state)
    return found.get(asked) or max(found.values(), key=lambda one: one.rounds, default=None)


@blueprint.get("/class/<code>/insight")
@takes_long
def show(code: str) -> flask.Response:
    """Show how a class plays at a table; the class lives on from now."""
    state = led_class(code)
    renew_session()
    extend_expiry(state)
    found, waiting = insight_of(state), class_store().insight.count_waiting(state.code)
    if wants_json():
        tables = {slug: _table_document(state, table) for slug, table in found.items()}
        about = {"class": state.code, "title": state.classroom.title, "waiting": waiting}
        return json_response(about | {"tables": tables})
    table = chosen_table(state, flask.request.args.get("table", ""))
    seen, now = last_seen(state), state.counters.now
    students = table.students if table else ()
    return render_page(
        "class/insight.html",
        state=state,
        version=page_version(state.counters, "insight"),
        here_now=sum(is_here(seen[member.number].at, now) for member in state.students),
        tables=found,
        table=table,
        costly=table.costly[:MAX_LISTED] if table else (),
        list=page_of(students, lambda one: _name(state, one)),
        top=axis_end(max((who.given.high for who in students if who.given), default=0.0)),
        waiting=waiting,
        at=comma_join(game.info.title for slug, game in GAMES.items() if advisor_at(slug)),
    )


def _table_document(state: ClassState, table: TableInsight) -> dict[str, Any]:
    """Return how a class has played at a table, as JSON."""
    return {
        "rounds": table.rounds,
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
    return state.members[one.number].student.name


@blueprint.get("/class/<code>/insight/students.csv")
@takes_long
def students(code: str) -> flask.Response:
    """Return how each student has played at each table, under nicknames."""
    state = led_class(code)
    head = (
        *("number", "nickname", "table", "rounds", "won", "decisions"),
        *("points given away per 100 decisions", "from", "to"),
    )
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state).items():
        for student in table.students:
            given = [round(end, 3) for end in student.given] if student.given else [None] * 3
            play = (student.play.rounds, student.play.won, student.play.decisions)
            lines.append((student.number, _name(state, student), slug, *play, *given))
    return csv_response(f"{state.code}-insight.csv", head, lines)


@blueprint.get("/class/<code>/insight/decisions.csv")
@takes_long
def decisions(code: str) -> flask.Response:
    """Return a class's costliest decisions, of three students at least each."""
    state = led_class(code)
    head = ("table", "decision", "students", "of", "times", "points each", "points in all")
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state).items():
        for decision in table.costly:
            counts = (decision.students, decision.of, decision.mistake.times)
            lines.append(
                (slug, decision.what, *counts, round(decision.each, 3), round(decision.points, 3))
            )
    return csv_response(f"{state.code}-decisions.csv", head, lines)
