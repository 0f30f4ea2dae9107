"""``/class/CODE/strategies``: students hand strategy charts in, and see the rating of each."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import flask
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies.best import BEST_EXPECTED, DEALER_EXPECTED, best_chart
from cardgames.strategies.chart import UPCARDS, Cell, StrategyChart
from cardgames.strategies.common_decks import DECKS, ROUNDS
from cardgames.strategies.rating_steps import PartialRating, is_exact
from cardgames.text import Text
from web.classroom import words
from web.classroom.access import NotAStudent, is_instructor, require_student, student_of
from web.classroom.answers import NotAllowed, answer_or_refuse, class_address, date_text, page_of
from web.classroom.chart_form import MAX_TEXT, chart_sent, grid, pressed_chart
from web.classroom.model import Member
from web.classroom.state import ClassState, class_store, load_class
from web.classroom.strategies import (
    MAX_A_DAY,
    MAX_KEPT,
    MAX_SHOWN,
    Chart,
    NotTaken,
    Standing,
    standings,
)
from web.classroom.updates import note_presence
from web.http.requests import MAX_GRID_FIELDS, sent_files, sent_texts, wants_json
from web.http.responses import json_response, refusal, render_page, see_other
from web.storage.sessions import renew_session

MAX_FILE: Final = 8_000
"""Maximum number of bytes of a file that are read."""

MAX_COMPARED: Final = 8
"""Maximum number of the student's other charts that are offered to compare one with."""

BEST: Final = "best"
DEALER: Final = "dealer"
"""What a chart can be compared with besides the other ones."""

POINTS: Final = 100
"""Points in a round."""

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


class Refused(NamedTuple):
    """A form that was sent and not taken: nothing of it is lost."""

    why: str = ""
    pressed: StrategyChart | None = None
    """The grid."""

    typed: str = ""


_NOT_REFUSED: Final = Refused()


@blueprint.get("/class/<code>/strategies")
def show(code: str) -> flask.Response:
    """Show where the charts stand, one of them, or the form to hand one in. Nothing is written."""
    state = load_class(code)
    member, leads = student_of(state), is_instructor(state)
    if member is None and not leads:
        raise NotAStudent(state.code)
    renew_session()
    if member:
        note_presence(state.code)
    query = flask.request.args
    if "chart" in query:
        return _chart(state, member, leads=leads)
    if member and query.get("new") in TABLES and not wants_json():
        return _form(state, member, query["new"], query.get("start", ""))
    return _list(state, member, leads=leads)


@blueprint.post("/class/<code>/strategies")
def hand_in(code: str) -> flask.Response:
    """Take a chart, or say what is wrong with it and lose nothing."""
    state = load_class(code)
    member = require_student(state)
    sent = sent_texts({"rows": MAX_TEXT}, MAX_GRID_FIELDS)
    file = _file()

    def answer() -> flask.Response:
        one = _keep(state, member, sent, file)
        if wants_json():
            parts = _differences(state, one, best_chart(one.table))
            return json_response(_chart_document(state, one, BEST, parts))
        return see_other(f"{class_address(state.code)}/strategies?chart={one.number}")

    def refuse(status: int, why: str) -> flask.Response:
        if wants_json():
            return json_response({"class": state.code}, status, why)
        table = sent.get("table", "")
        table = table if table in TABLES else next(iter(TABLES))
        pressed = pressed_chart(sent, TABLES[table]) if "grid" in sent else None
        refused = Refused(why, pressed, file or sent.get("rows", ""))
        return _form(state, member, table, refused=refused)

    return answer_or_refuse(answer, refuse)


def _keep(state: ClassState, member: Member, sent: dict[str, str], file: str) -> Chart:
    """Keep a chart that was sent, and return it.

    Raises:
        CardGameError: it is none, or is not taken.
    """
    if state.classroom.closed:
        raise NotAllowed(words.CLOSED)
    if member.student.state == "out":
        raise NotAllowed(STEPPED_OUT)
    table, chart = chart_sent(sent, file)
    store = class_store().charts
    added = store.add(state.code, member.number, table, str(chart))
    if isinstance(added, NotTaken):
        raise NotAllowed(NOT_TAKEN[added])
    return next(one for one in store.charts(state.code, member.number) if one.number == added)


def _form(
    state: ClassState,
    member: Member,
    table: str,
    start: str = "",
    refused: Refused = _NOT_REFUSED,
) -> flask.Response:
    """Answer with the form to hand a chart in: begun anew, or as it was sent and refused.

    Args:
        state: the class.
        member: the student.
        table: the slug of the table.
        start: what the grid begins with: ``dealer``, or the number of an own chart.
        refused: what was sent, if it was not taken.
    """
    own = class_store().charts.charts(state.code, member.number)
    earlier = {str(one.number): one for one in own if one.table == table}
    begun = earlier[start].chart if start in earlier else None
    return render_page(
        "class/strategies_form.html",
        422 if refused.why else 200,
        code=state.code,
        title=state.classroom.title,
        refusal=refused.why,
        table=table,
        tables=_titles(),
        start=start if begun else DEALER,
        earlier=[*reversed(earlier)],
        groups=grid(refused.pressed or begun or StrategyChart.read(TABLES[table], DEALER)),
        upcards=UPCARDS,
        typed=refused.typed,
    )


# ---- Where charts stand --------------------------------------------------------------------------


def _list(state: ClassState, member: Member | None, *, leads: bool) -> flask.Response:
    """Answer with where the charts stand: to students the best ones and their own."""
    names = {one.number: one.student.name for one in state.students}
    charts = [one for one in class_store().charts.charts(state.code) if one.student in names]
    me = member.number if member else 0
    own = [one for one in charts if leads or one.student == me]
    if wants_json():
        shown = {
            table: _shown(standings(charts, table, names), me, leads=leads) for table in TABLES
        }
        return json_response(_list_document(state, shown, own, names))
    newest = own[-1].table if own else "blackjack"
    asked = flask.request.args.get("table", "")
    table = asked if asked in TABLES else newest
    found = standings(charts, table, names)
    return render_page(
        "class/strategies.html",
        code=state.code,
        title=state.classroom.title,
        leads=leads,
        me=me,
        tables=_titles(),
        table=table,
        exact=is_exact(TABLES[table]),
        places=page_of(_shown(found, me, leads=leads), lambda one: one.name),
        entered=len(found),
        waiting=sum(one.kept.phase == "waiting" for one in charts),
        charts=page_of(own[::-1], lambda one: names[one.student], "charts"),
        names={one.student: names[one.student] for one in own},
        **_measures(table),
        date_text=date_text,
        decks=DECKS,
        rounds=ROUNDS,
    )


def _shown(found: Sequence[Standing], me: int, *, leads: bool) -> list[Standing]:
    """Return those of some places that are shown: to students the best ones and their own."""
    places = enumerate(found)
    return [one for at, one in places if leads or at < MAX_SHOWN or one.student == me]


def _list_document(
    state: ClassState,
    shown: Mapping[str, Sequence[Standing]],
    own: Sequence[Chart],
    names: Mapping[int, str],
) -> dict[str, Any]:
    return {
        "class": state.code,
        "title": state.classroom.title,
        "standings": {
            table: [
                {
                    "places": [one.first, one.last],
                    "name": one.name,
                    **_rating_document(one.number, "rated", one.rating),
                }
                for one in placed
            ]
            for table, placed in shown.items()
        },
        "charts": [
            {
                "table": one.table,
                "name": names[one.student],
                **_rating_document(one.number, one.kept.phase, one.rating),
            }
            for one in own
        ],
    }


# ---- One chart -----------------------------------------------------------------------------------


def _chart(state: ClassState, member: Member | None, *, leads: bool) -> flask.Response:
    """Answer with one chart, compared with another."""
    query, store = flask.request.args, class_store().charts
    me = member.number if member else 0
    charts = {str(one.number): one for one in store.charts(state.code)}
    one = charts.get(query["chart"])
    if one is None or one.student not in {member.number for member in state.students}:
        raise NotFound
    if not leads and one.student != me:
        return refusal(NOT_YOURS, 403, **{"class": state.code})
    others = {
        key: other
        for key, other in charts.items()
        if other.table == one.table and other is not one and (leads or other.student == me)
    }
    compared = query.get("with", BEST)
    compared = compared if compared in {BEST, DEALER, *others} else BEST
    other = _other_chart(one, others, compared)
    parts = _differences(state, one, other)
    if wants_json():
        return json_response(_chart_document(state, one, compared, parts))
    theirs = [key for key, other in others.items() if other.student == one.student]
    offered = dict.fromkeys([*theirs[::-1][:MAX_COMPARED], *({compared} & others.keys())])
    return render_page(
        "class/strategies_chart.html",
        code=state.code,
        title=state.classroom.title,
        one=one,
        name=_name(state, one),
        me=me,
        table_title=GAMES[one.table].info.title,
        exact=is_exact(one.rules),
        **_measures(one.table),
        offered=[(key, others[key].student, _name(state, others[key])) for key in offered],
        compared=compared,
        gap=_gap(one, others, compared),
        differences=parts,
        groups=grid(one.chart, other),
        upcards=UPCARDS,
    )


def _other_chart(one: Chart, others: Mapping[str, Chart], compared: str) -> StrategyChart:
    """Return the chart with which one is compared: ``best``, ``dealer`` or another's number."""
    if compared == BEST:
        return best_chart(one.table)
    if compared == DEALER:
        return StrategyChart.read(one.rules, DEALER)
    return others[compared].chart


def _differences(
    state: ClassState, one: Chart, other: StrategyChart
) -> list[tuple[Cell, bool, float]]:
    """Return where a chart that is rated differs from another, the costliest place first.

    With whether it hits there, and what that costs by itself in points a round: below 0 if it
    saves that.
    """
    if not one.rating:
        return []
    costs, chart = class_store().charts.costs(state.code, one), one.chart
    found = ((cell, chart.hits(cell), costs.get(cell, 0.0)) for cell in chart.differences(other))
    return sorted(found, key=lambda row: -row[2])


def _gap(one: Chart, others: Mapping[str, Chart], compared: str) -> float | None:
    """Return by how many points a first round is worth more with a chart than with another.

    None until both are rated.
    """
    if one.rating is None:
        return None
    if compared in (BEST, DEALER):
        return (
            one.rating.points
            - POINTS * (BEST_EXPECTED if compared == BEST else DEALER_EXPECTED)[one.table]
        )
    rating = others[compared].rating
    return one.rating.points - rating.points if rating else None


def _chart_document(
    state: ClassState, one: Chart, compared: str, differences: list[tuple[Cell, bool, float]]
) -> dict[str, Any]:
    return {
        "class": state.code,
        "table": one.table,
        "name": _name(state, one),
        "handed_in": one.kept.handed_in,
        "rows": one.kept.rows,
        **_rating_document(one.number, one.kept.phase, one.rating),
        "done": int(one.kept.phase != "waiting"),
        "steps": 1,
        "with": compared,
        "differences": [
            {"place": str(cell), "decision": "hit" if hits else "stay", "cost": cost}
            for cell, hits, cost in differences
        ],
    }


def _rating_document(number: int, phase: str, rating: PartialRating | None) -> dict[str, Any]:
    """Return the rating of a chart as JSON: points a round, and against the best one."""
    decks = rating.decks if rating else None
    return {
        "chart": number,
        "phase": phase,
        "ev": rating.expected_value if rating else None,
        "points": rating.points if rating else None,
        "decks": {"mean": decks[0], "reach": decks[1]} if decks else None,
    }


# ---- What they have in common --------------------------------------------------------------------


def _titles() -> dict[str, str]:
    """Return the titles of the tables that take charts, by their slugs."""
    return {slug: GAMES[slug].info.title for slug in TABLES}


def _measures(table: str) -> dict[str, Any]:
    """Return what ratings are measured by, in points a round."""
    return {BEST: POINTS * BEST_EXPECTED[table], DEALER: POINTS * DEALER_EXPECTED[table]}


def _name(state: ClassState, one: Chart) -> str:
    return state.members[one.student].student.name


def _file() -> str:
    """Return the text of the file that was sent; empty for none."""
    upload = dict(sent_files()).get("file")
    return upload.read(MAX_FILE).decode("utf-8", "replace") if upload else ""
