"""``/class/CODE/strategies``: students hand strategy charts in, and see what each is worth."""

from typing import Final

import flask
from werkzeug.exceptions import NotFound

from cardgames.cards import CardGameError
from cardgames.simulation.experiments import TABLES
from cardgames.text import Text
from web.classroom import words
from web.classroom.access import NotAStudent, is_instructor, require_student, student_of
from web.classroom.answers import class_address
from web.classroom.model import Member
from web.classroom.moves import NotAllowed
from web.classroom.state import ClassState, class_store, load_class
from web.classroom.strategies.comparison import BEST
from web.classroom.strategies.documents import chart_document, list_document
from web.classroom.strategies.forms import MAX_TEXT, as_pressed, chart_sent
from web.classroom.strategies.model import HandedIn, charts_of, costs_of, pack_chart
from web.classroom.strategies.page import Refused, chart_page, form_page, strategies_page
from web.classroom.strategies.store import MAX_A_DAY, MAX_KEPT, NotTaken
from web.classroom.updates import note_presence
from web.http.requests import current_request
from web.http.responses import (
    MAX_GRID_FIELDS,
    json_response,
    refusal,
    render_page,
    see_other,
    sent_texts,
    wants_json,
)
from web.storage.sessions import current_session, renew_session

MAX_FILE: Final = 8_000
"""So many bytes of a file are read."""

NOT_YOURS: Final = Text("Only whoever handed a chart in, and the instructor, see all of it.")
STEPPED_OUT: Final = Text("You have stepped out of this class: step in first.")
NOT_TAKEN: Final = {
    NotTaken.GONE: words.JOIN_FIRST,
    NotTaken.TODAY: Text(
        "You have handed in {most} charts within a day: that is the most.", most=MAX_A_DAY
    ),
    NotTaken.FULL: Text("You have handed in {most} charts: that is the most.", most=MAX_KEPT),
}

blueprint = flask.Blueprint("class-strategies", __name__)


@blueprint.get("/class/<code>/strategies")
def show(code: str) -> flask.Response:
    """Show where the charts stand, one of them, or the form to hand one in. Nothing is written."""
    state = load_class(code)
    member, leads = student_of(state), is_instructor(state)
    if member is None and not leads:
        raise NotAStudent(state.code)
    renew_session()
    if member:
        note_presence(state.code, current_session().sid, "")
    asked = flask.request.args
    if "chart" in asked:
        return _chart(state, member, leads=leads)
    charts = charts_of(state)
    if member and asked.get("new") in TABLES and not wants_json():
        own = [one for one in charts if one.student == member.number]
        page = form_page(state, asked["new"], asked.get("start", ""), own)
        return render_page("class/strategies_form.html", page=page)
    return _list(state, charts, member, leads=leads)


@blueprint.post("/class/<code>/strategies")
def hand_in(code: str) -> flask.Response:
    """Take a chart, or say what is wrong with it and lose nothing."""
    state = load_class(code)
    member = require_student(state)
    sent = sent_texts({"rows": MAX_TEXT}, MAX_GRID_FIELDS)
    file = _file()
    try:
        number = _handed_in(state, member, sent, file)
    except CardGameError as error:
        return _refused(state, member, sent, file, error.text)
    if wants_json():
        mine = {one.number: one for one in charts_of(state)}
        return json_response(chart_document(state, mine[number]))
    return see_other(f"{class_address(state.code)}/strategies?chart={number}")


def _handed_in(state: ClassState, member: Member, sent: dict[str, str], file: str) -> int:
    """Keep a chart, and return its number; one that they have handed in before has its own.

    Raises:
        CardGameError: it is none, or is not taken.
    """
    if state.classroom.closed:
        raise NotAllowed(words.CLOSED)
    if member.student.state == "out":
        raise NotAllowed(STEPPED_OUT)
    table, chart = chart_sent(sent, file)
    for one in charts_of(state):
        if (one.student, one.table, one.rows) == (member.number, table, str(chart)):
            return one.number  # a double click, or a page that was loaded again
    added = class_store().charts.add(state.code, member.number, pack_chart(table, chart))
    if isinstance(added, NotTaken):
        raise NotAllowed(NOT_TAKEN[added])
    return added


def _refused(
    state: ClassState, member: Member, sent: dict[str, str], file: str, why: str
) -> flask.Response:
    """Answer with the form as it was sent; a file that was sent stands in the text."""
    if wants_json():
        return json_response({"class": state.code}, 422, why)
    table = sent.get("table", "")
    table = table if table in TABLES else next(iter(TABLES))
    own = [one for one in charts_of(state) if one.student == member.number]
    pressed = as_pressed(sent, TABLES[table]) if "grid" in sent else None
    page = form_page(state, table, "", own, Refused(why, pressed, file or sent.get("rows", "")))
    return render_page("class/strategies_form.html", 422, page=page)


def _list(
    state: ClassState, charts: tuple[HandedIn, ...], member: Member | None, *, leads: bool
) -> flask.Response:
    """Answer with where the charts stand."""
    me = member.number if member else 0
    if wants_json():
        return json_response(list_document(state, charts, me, leads=leads))
    table = flask.request.args.get("table", "")
    if table not in TABLES:
        newest = [one.table for one in charts if leads or one.student == me]
        table = newest[-1] if newest else "blackjack"
    page = strategies_page(state, charts, table, me=me, leads=leads)
    return render_page("class/strategies.html", page=page)


def _chart(state: ClassState, member: Member | None, *, leads: bool) -> flask.Response:
    """Answer with one chart, compared with another."""
    asked = flask.request.args
    me = member.number if member else 0
    charts = charts_of(state)
    one = next((one for one in charts if str(one.number) == asked["chart"]), None)
    if one is None:
        raise NotFound
    if not leads and one.student != me:
        return refusal(NOT_YOURS, 403, **{"class": state.code})
    others = [other for other in charts if leads or other.student == me]
    if wants_json():
        return json_response(chart_document(state, one, others, asked.get("with", BEST)))
    page = chart_page(
        state,
        one,
        costs_of(state, one),
        others,
        compared=asked.get("with", BEST),
        me=me,
    )
    return render_page("class/strategies_chart.html", page=page)


def _file() -> str:
    """Return the text of the file that was sent; empty for none."""
    upload = dict(current_request().uploads).get("file")
    return upload.read(MAX_FILE).decode("utf-8", "replace") if upload else ""
