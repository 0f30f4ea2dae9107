"""``/class/CODE/insight``: what a class should learn next, for its instructor."""

from collections.abc import Callable, Mapping
from typing import Final

import flask
from werkzeug.exceptions import NotFound

from web.classroom.access import led_class
from web.classroom.dashboard import extend_expiry
from web.classroom.insight import TableInsight
from web.classroom.insight_page import (
    decisions_csv,
    insight_document,
    insight_of,
    insight_page,
    students_csv,
)
from web.classroom.presence import is_here, last_seen
from web.classroom.state import ClassState
from web.classroom.updates import answer_known_page, page_version
from web.http.responses import json_response, render_page, wants_json
from web.storage.sessions import renew_session

TABLES: Final[Mapping[str, Callable[[ClassState, Mapping[str, TableInsight]], flask.Response]]] = {
    "students": students_csv,
    "decisions": decisions_csv,
}
"""What can be had for a spreadsheet."""

blueprint = flask.Blueprint("class-insight", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/insight")
def show(code: str) -> flask.Response:
    """Show how a class plays at a table; the class lives on from now."""
    state = led_class(code)
    renew_session()
    extend_expiry(state)
    found = insight_of(state)
    if wants_json():
        return json_response(insight_document(state, found))
    seen, now = last_seen(state), state.counters.now
    here = sum(is_here(seen[one.number].at, now) for one in state.students)
    page = insight_page(
        state,
        found,
        flask.request.args.get("table", ""),
        version=page_version(state.counters, "insight"),
        here=here,
    )
    return render_page("class/insight.html", page=page)


@blueprint.get("/class/<code>/insight/<what>.csv")
def spreadsheet(code: str, what: str) -> flask.Response:
    """Return the same for a spreadsheet, under nicknames: the students, or the decisions."""
    state = led_class(code)
    if what not in TABLES:
        raise NotFound
    return TABLES[what](state, insight_of(state))
