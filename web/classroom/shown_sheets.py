"""``/class/CODE/sheets``: which requirements of the sheets students' own classes pass.

A student's files are checked in their own browser (``/sheets/SHEET/try``) and stay there. Only the
button "Show my instructor" sends something: numbers of requirements, which the browser has counted
and nobody has verified. They go with the student.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import flask
from flask.typing import ResponseReturnValue
from sqlalchemy import JSON, select
from sqlalchemy.orm import Mapped, mapped_column

from cardgames import GAMES
from cardgames.text import Text
from course.grading.requirements import gradable
from course.handouts.tasks import TASKS
from web import db
from web.classroom import access
from web.classroom.lists import csv_response, page_of
from web.classroom.models import CODE, Classroom, of_student
from web.classroom.students import names_of
from web.db.models import SLUG, Base
from web.http.downloads import Cell
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response

SHEETS: Final = tuple(task.slug for task in TASKS)
MAX_PASSED: Final = 1_000
"""Maximum number of characters of the numbers that are sent: a sheet has at most a hundred."""

MAX_HARDEST: Final = 5
"""Maximum number of requirements that are named because most students do not pass them."""

NO_SHEET: Final = Text("There is no such sheet.")
NO_NUMBERS: Final = Text("These are no numbers of the sheet's requirements.")

blueprint = flask.Blueprint("shown_sheets", __name__)


@cache
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
    classroom = access.load_class(code)
    student = access.require_student(classroom)
    sent = sent_texts({"passed": MAX_PASSED})
    slug, numbers = sent.get("sheet", ""), sent.get("passed", "").split()
    if slug not in SHEETS:
        return json_response({}, 422, NO_SHEET)
    known = {str(number): number for number in requirements(slug)}
    if not known.keys() >= {*numbers}:
        return json_response({}, 422, NO_NUMBERS)
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
def table(code: str) -> flask.Response:
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
