"""``/class/CODE/insight`` and ``/class/CODE/sheets``: what a class should learn next.

The second says which requirements of the sheets students' own classes pass. A student's files are
checked in their own browser (``/sheets/SHEET/try``) and stay there. Only the button "Show my
instructor" sends something: numbers of requirements, which the browser has counted and nobody has
verified. They go with the student.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final, NamedTuple

import flask
from flask.typing import ResponseReturnValue
from sqlalchemy import JSON, select
from sqlalchemy.orm import Mapped, mapped_column

from cardgames import GAMES
from cardgames.strategies.habits import HABITS, has_hands
from cardgames.text import Text, comma_join
from course.grading.requirements import gradable
from course.handouts.tasks import TASKS
from web import db
from web.charts import axis_end
from web.classroom import access, forms, misconceptions
from web.classroom.access import led_class, save_move, visited_class
from web.classroom.forms import ClassMove, MoveRequest, Options, csv_response, page_of
from web.classroom.misconceptions import Misconceptions, TableInsight
from web.classroom.models import CODE, Classroom, of_student
from web.classroom.plays import PERIODS, asked_period
from web.classroom.presence import answer_known_page, is_here
from web.classroom.students import names_of, not_banned, students_of
from web.classroom.tournament_pages import NO_HANDS, may_make
from web.classroom.tournaments import TABLES
from web.classroom.votes import may_ask, newest_vote
from web.db.models import SLUG, Base
from web.http.downloads import Cell
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response

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
    if not classroom.closed:
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


def _with_beliefs(classroom: Classroom, table: TableInsight) -> tuple[TableInsight, Misconceptions]:
    """Return a table with the rounds of its costly decisions, and what the class believes there."""
    period = asked_period()
    costly = misconceptions.with_replays(classroom, period, table.costly)
    table = replace(table, costly=costly)
    return table, misconceptions.misconceptions(classroom, table, period)


def _shown_of(classroom: Classroom, table: TableInsight) -> dict[str, Any]:
    """Return what the page shows of a table."""
    table, beliefs = _with_beliefs(classroom, table)
    students, names = table.students, names_of(classroom)
    return {
        "costly": table.costly[:MAX_LISTED],
        "beliefs": beliefs,
        "position_of": misconceptions.position_of,
        "has_hands": has_hands,
        "names": names,
        "list": page_of(students, lambda one: names[one.number]),
        "top": axis_end(max((one.given.high for one in students if one.given), default=0.0)),
    }


def _document(classroom: Classroom, found: Mapping[str, TableInsight]) -> dict[str, Any]:
    """Return how a class has played, as JSON."""
    names = names_of(classroom)
    shown = {
        "days": asked_period(),
        "periods": PERIODS,
        "drill": classroom.drill and classroom.drill._asdict(),
        "tables": {slug: _table_document(classroom, table, names) for slug, table in found.items()},
    }
    return forms.led_document(classroom, _moves(classroom), shown)


def _table_document(
    classroom: Classroom, table: TableInsight, names: Mapping[int, str]
) -> dict[str, Any]:
    """Return how a class has played at a table, as JSON."""
    table, beliefs = _with_beliefs(classroom, table)
    return {
        "rounds": table.rounds,
        "misconceptions": [one.document() for one in beliefs.listed],
        "unlisted": {"points": beliefs.unlisted, "of": beliefs.total},
        "decisions": [decision.document() for decision in table.costly],
        "students": [
            {"number": student.number, "name": names[student.number], **student.document()}
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


# ---- The sheets ----------------------------------------------------------------------------------

SHEETS: Final = tuple(task.slug for task in TASKS)
MAX_PASSED: Final = 1_000
"""Maximum number of characters of the numbers that are sent: a sheet has at most a hundred."""

MAX_HARDEST: Final = 5
"""Maximum number of requirements that are named because most students do not pass them."""


def requirements(slug: str) -> Mapping[int, str]:
    """Return the requirements of a sheet that can be checked, by their numbers."""
    return {int(each.id.partition("-")[2]): each.id for each in gradable(slug)}


class ShownSheet(Base):
    """Which requirements of a sheet a student's own classes pass, as they have shown it."""

    __tablename__ = "shown_sheets"
    __table_args__ = (
        of_student(),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    sheet: Mapped[str] = mapped_column(SLUG, primary_key=True)
    passed: Mapped[list[int]] = mapped_column(JSON)
    """The numbers of the requirements, ascending."""


class ShownBy(NamedTuple):
    """What a student has shown of a sheet."""

    number: int
    name: str
    passed: tuple[int, ...]
    missing: tuple[str, ...]


def shown_of(classroom: Classroom, slug: str) -> list[ShownBy]:
    """Return what a class has shown of a sheet, the students in the order of their numbers."""
    known, names, found = requirements(slug), names_of(classroom), []
    query = select(ShownSheet.student, ShownSheet.passed).where(
        ShownSheet.class_code == classroom.code
    )
    for number, passed in db.session().execute(
        query.where(ShownSheet.sheet == slug).order_by(ShownSheet.student)
    ):
        missing = tuple(each for which, each in known.items() if which not in passed)
        found.append(ShownBy(number, names[number], tuple(passed), missing))
    return found


def hardest_of(slug: str, shown: Sequence[ShownBy]) -> list[tuple[str, str, int]]:
    """Return what most students do not pass yet: each number, its text, and how many do not."""
    lacking = [(each, sum(each.id in one.missing for one in shown)) for each in gradable(slug)]
    lacking.sort(key=lambda pair: -pair[1])
    return [(each.id, each.text, count) for each, count in lacking[:MAX_HARDEST] if count]


@blueprint.post("/class/<code>/sheets")
def show_instructor(code: str) -> flask.Response:
    """Keep which requirements of a sheet a student's classes pass."""
    classroom, student = access.joined_class(code)
    sent = sent_texts({"passed": MAX_PASSED})
    slug, numbers = sent.get("sheet", ""), sent.get("passed", "").split()
    if slug not in SHEETS:
        return json_response({}, 422, Text("There is no such sheet."))
    known = {str(number): number for number in requirements(slug)}
    if not known.keys() >= {*numbers}:
        return json_response({}, 422, Text("These are not numbers of the sheet's requirements."))
    passed = sorted({known[number] for number in numbers})
    whose = {"class_code": classroom.code, "student": student.number}
    db.session().merge(ShownSheet(**whose, sheet=slug, passed=passed))
    shown = {"class": classroom.code, "sheet": slug, "passed": passed, "of": len(known)}
    return json_response(shown)


@blueprint.get("/class/<code>/sheets")
def look(code: str) -> ResponseReturnValue:
    """Show the instructor what students have shown of a sheet, by default of the first."""
    classroom = access.visited_class(code)
    if wants_json():
        sheets = {
            slug: [row._asdict() | {"passed": len(row.passed)} for row in shown_of(classroom, slug)]
            for slug in SHEETS
        }
        return json_response({"class": classroom.code, "sheets": sheets})
    asked = flask.request.args.get("sheet", "")
    slug = asked if asked in SHEETS else next(iter(SHEETS), "")
    shown = shown_of(classroom, slug) if slug else []
    return flask.render_template(
        "class/sheets.html",
        classroom=classroom,
        slug=slug,
        titles={each: GAMES[each].info.title for each in SHEETS},
        of=len(requirements(slug)) if slug else 0,
        shown=len(shown),
        hardest=hardest_of(slug, shown) if shown else (),
        list=page_of(shown, lambda one: one.name),
    )


@blueprint.get("/class/<code>/sheets.csv")
def sheets_csv(code: str) -> flask.Response:
    """Return what students have shown of each sheet, a line for each, under nicknames."""
    classroom = access.led_class(code)
    head = ("number", "nickname", "sheet", "passed", "of", "not passed")
    lines: list[Sequence[Cell]] = []
    for slug in SHEETS:
        of = len(requirements(slug))
        for row in shown_of(classroom, slug):
            counts = len(row.passed), of, " ".join(row.missing)
            lines.append((row.number, row.name, slug, *counts))
    return csv_response(f"{classroom.code}-sheets.csv", head, lines)
