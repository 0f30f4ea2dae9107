"""``/class/CODE/insight``: the mistakes from which a class can learn most."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue

from cardgames import GAMES
from cardgames.cards import CardGameError
from cardgames.strategies.habits import HABITS, has_hands
from cardgames.text import Text, comma_join
from web.charts import axis_end
from web.classroom.core import forms
from web.classroom.core.access import (
    load_and_extend_class,
    load_names,
    load_students,
    not_banned,
    save_move,
)
from web.classroom.core.forms import (
    NOT_REJECTED,
    ClassMove,
    FieldOptions,
    MoveRequest,
    Rejection,
    paginate,
)
from web.classroom.core.models import Classroom
from web.classroom.core.presence import answer_not_modified, is_present, with_etag
from web.classroom.homework.models import ADVISED_TABLES
from web.classroom.homework.views import NO_HANDS, may_make
from web.classroom.insight.queries import load_insight, mistakes_at, with_replays
from web.classroom.insight.rules import (
    PERIODS,
    Misconceptions,
    TableInsight,
    chosen_table,
    first_day,
    misconceptions,
    mistake_question,
)
from web.classroom.votes.queries import newest_vote
from web.classroom.votes.rules import can_open_vote
from web.http.requests import wants_json

MAX_LISTED: Final = 12
"""Maximum number of costly decisions on the page."""

blueprint = flask.Blueprint("insight", __name__)
blueprint.before_request(answer_not_modified)


def asked_period() -> str:
    """Return the period in the request's query, by default all days."""
    period = flask.request.args.get("days", "")
    return period if period in PERIODS else "all"


@blueprint.get("/class/<code>/insight")
def show(code: str) -> ResponseReturnValue:
    """Show a class's results at a table in a period, and extend the class's lifetime."""
    classroom = load_and_extend_class(code)
    return with_etag(_page(classroom), classroom.etag("insight"))


def _page(classroom: Classroom, rejection: Rejection = NOT_REJECTED) -> ResponseReturnValue:
    """Return the page of a class's results."""
    tables = load_insight(classroom, asked_period())
    if wants_json():
        return forms.json_page(_document(classroom, tables), rejection)
    table = chosen_table(tables, flask.request.args.get("table", ""))
    students = not_banned(load_students(classroom))
    return forms.form_page(
        "class/insight.html",
        rejection,
        classroom=classroom,
        here_now=sum(is_present(student, classroom.now) for student in students),
        count=len(students),
        tables=tables,
        table=table,
        period=asked_period(),
        periods=PERIODS,
        moves={move.name: move for move in _moves(classroom)},
        titles=ADVISED_TABLES,
        at=comma_join(ADVISED_TABLES.values()),
        may_vote=can_open_vote(classroom, newest_vote(classroom)),
        may_play=may_make(classroom),
        **(_table_values(classroom, table) if table else {}),
    )


@blueprint.post("/class/<code>/insight")
def move(code: str) -> ResponseReturnValue:
    """Set or remove a drill for the class, or show an error message."""
    sent = forms.sent_move()
    try:
        classroom = load_and_extend_class(code)
        forms.requested_move(classroom, _moves(classroom), sent).make()
    except CardGameError as error:
        return _page(load_and_extend_class(code), forms.rejected(error, sent))
    table = flask.request.args.get("table", "")
    table = table if table in GAMES else ""
    address = flask.url_for(".show", code=classroom.code, table=table, days=asked_period())
    return forms.accepted(address, partial(_page, classroom))


def _moves(classroom: Classroom) -> Iterator[ClassMove]:
    """Yield the possible moves that set or remove a drill."""
    if not classroom.closed:
        habits: FieldOptions = {
            name: habit.about for name, habit in HABITS.items() if habit.is_drilled
        }
        yield ClassMove(
            "drill", Text("Drill these hands"), _drill, {"table": ADVISED_TABLES, "habit": habits}
        )
    if classroom.drill:
        no_drill = partial(MoveRequest.write, drill_table="", drill_habit="")
        yield ClassMove("end-drill", Text("End the drill"), no_drill)


def _drill(request: MoveRequest) -> None:
    # A form may contain any rule of thumb. A rule that cannot be drilled has no hands at any table.
    table, habit = request.choice("table"), forms.choice_field(request.fields, "habit", (*HABITS,))
    forms.require(has_hands(table, habit), NO_HANDS)
    save_move(request.classroom, drill_table=table, drill_habit=habit)


def _with_beliefs(classroom: Classroom, table: TableInsight) -> tuple[TableInsight, Misconceptions]:
    """Return a table, with the rounds of its costly decisions, and its misconceptions."""
    period = asked_period()
    costly = with_replays(classroom, period, table.costly)
    table = replace(table, costly=costly)
    since = first_day(period, classroom.now)
    return table, misconceptions(table, mistakes_at(classroom.code, table.slug, since))


def _table_values(classroom: Classroom, table: TableInsight) -> dict[str, Any]:
    """Return the template variables for a table."""
    table, beliefs = _with_beliefs(classroom, table)
    students, names = table.students, load_names(classroom)
    return {
        "costly": table.costly[:MAX_LISTED],
        "beliefs": beliefs,
        "mistake_question": mistake_question,
        "has_hands": has_hands,
        "names": names,
        "list": paginate(students, lambda row: names[row.number]),
        "top": axis_end(
            max((student.given.high / 100 for student in students if student.given), default=0.0)
        ),
    }


def _document(classroom: Classroom, tables: Mapping[str, TableInsight]) -> dict[str, Any]:
    """Return a class's results as JSON."""
    names = load_names(classroom)
    documents = {
        "days": asked_period(),
        "periods": PERIODS,
        "drill": classroom.drill and classroom.drill._asdict(),
        "tables": {
            slug: _table_document(classroom, table, names) for slug, table in tables.items()
        },
    }
    return forms.instructor_json(classroom, _moves(classroom), documents)


def _table_document(
    classroom: Classroom, table: TableInsight, names: Mapping[int, str]
) -> dict[str, Any]:
    """Return a class's results at a table, as JSON."""
    table, beliefs = _with_beliefs(classroom, table)
    return {
        "rounds": table.rounds,
        "misconceptions": [misconception.document() for misconception in beliefs.listed],
        "unlisted": {"points": beliefs.unlisted, "of": beliefs.total},
        "decisions": [decision.document() for decision in table.costly],
        "students": [
            {"number": student.number, "name": names[student.number], **student.document()}
            for student in table.students
        ],
    }
