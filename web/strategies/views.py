"""``/class/CODE/strategies``: students hand strategy charts in, and see the rating of each."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import flask
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies.best import BEST_EXPECTED, DEALER_EXPECTED, best_chart
from cardgames.strategies.chart import UPCARDS, Cell, StrategyChart
from cardgames.strategies.common_decks import DECKS, ROUNDS
from cardgames.strategies.rating import POINTS
from cardgames.strategies.rating_steps import is_exact
from cardgames.text import Text
from web.classes import words
from web.classes.model import Member
from web.classes.strategies import MAX_SHOWN, Chart, NotTaken, Standing, standings
from web.http.requests import MAX_GRID_FIELDS, sent_files, sent_texts, wants_json
from web.http.responses import json_response, refusal, render_page, see_other
from web.http.turns import takes_long
from web.live_class import answers
from web.live_class.state import ClassState, NotAStudent, class_store, load_class
from web.live_class.updates import note_presence
from web.storage.sessions import renew_session
from web.strategies.forms import chart_groups, chart_sent, field_name, pressed_chart

MAX_TEXT: Final = 8_000
"""Maximum number of characters of a chart as text, or bytes of its file: the command prints some
2,000."""

MAX_COMPARED: Final = 8
"""Maximum number of the student's other charts that are offered to compare one with."""

BEST: Final = "best"
DEALER: Final = "dealer"
"""With :data:`BEST` what a chart can be compared with besides other students' ones."""

NOT_YOURS: Final = Text("Only whoever handed a chart in, and the instructor, see all of it.")
STEPPED_OUT: Final = Text("You have stepped out of this class: step in first.")

blueprint = flask.Blueprint("class-strategies", __name__)


class ClassCharts(NamedTuple):
    """The charts of a class's students."""

    charts: tuple[Chart, ...]
    """All of them, the oldest first."""

    standings: Mapping[str, tuple[Standing, ...]]
    """Where the students' best ones stand, by the tables' slugs."""


def charts_of(state: ClassState) -> ClassCharts:
    """Return the charts of a class, but for those who are banned.

    A worker remembers them until one is handed in or rated, or a student comes or goes: 5,000 take
    it 120 ms.
    """
    store = class_store().charts

    def read() -> ClassCharts:
        known = {member.number for member in state.students}
        charts = tuple(chart for chart in store.charts(state.code) if chart.student in known)
        return ClassCharts(charts, {table: standings(charts, table) for table in TABLES})

    version = *store.version(state.code), state.counters.students
    return answers.remembered(("charts", state.code), version, read)


class Reader(NamedTuple):
    """Whose browser asks for charts."""

    state: ClassState
    student: int
    """The number of the student; 0 for an instructor who has not joined."""

    leads: bool

    def sees(self, one: Chart) -> bool:
        """Return whether all of a chart is shown to them."""
        return self.leads or one.student == self.student

    def name_of(self, one: Chart) -> str:
        """Return the nickname of the student who has handed a chart in."""
        return self.state.members[one.student].student.name

    def page(self, template: str, table: str, status: int = 200, **more: Any) -> flask.Response:
        """Return a page about charts of a table."""
        return render_page(
            template,
            status,
            reader=self,
            code=self.state.code,
            title=self.state.classroom.title,
            tables={slug: GAMES[slug].info.title for slug in TABLES},
            table=table,
            exact=is_exact(TABLES[table]),
            best=POINTS * BEST_EXPECTED[table],
            dealer=POINTS * DEALER_EXPECTED[table],
            upcards=UPCARDS,
            field_name=field_name,
            **more,
        )


@blueprint.get("/class/<code>/strategies")
@takes_long
def show(code: str) -> flask.Response:
    """Show where the charts stand, one of them, or the form to hand one in. Nothing is written."""
    state = load_class(code)
    member, leads = state.own_student(), state.is_led()
    if member is None and not leads:
        raise NotAStudent(state.code)
    renew_session()
    if member:
        note_presence(state.code)
    query, reader = flask.request.args, Reader(state, member.number if member else 0, leads)
    if "chart" in query:
        return _show_chart(reader, query["chart"], query.get("with", BEST))
    if member and query.get("new") in TABLES and not wants_json():
        return _show_form(reader, query["new"], start=query.get("start", ""))
    return _show_list(reader)


@blueprint.post("/class/<code>/strategies")
def hand_in(code: str) -> flask.Response:
    """Take a chart, or say what is wrong with it and lose nothing."""
    state = load_class(code)
    member = state.require_student()
    sent = sent_texts({"rows": MAX_TEXT}, MAX_GRID_FIELDS)
    upload = dict(sent_files()).get("file")
    file = upload.read(MAX_TEXT).decode("utf-8", "replace") if upload else ""
    text = file or sent.get("rows", "")

    def answer() -> flask.Response:
        one = _keep(state, member, sent, text)
        if wants_json():
            return json_response(_chart_document(state, one, BEST, best_chart(one.table)))
        return see_other(f"{answers.class_address(state.code)}/strategies?chart={one.number}")

    def refuse(status: int, why: str) -> flask.Response:
        if wants_json():
            return json_response({"class": state.code}, status, why)
        table = sent.get("table", "")
        table = table if table in TABLES else next(iter(TABLES))
        pressed = pressed_chart(sent, TABLES[table]) if "grid" in sent else None
        return _show_form(Reader(state, member.number, leads=False), table, why, pressed, text)

    return answers.answer_or_refuse(answer, refuse)


def _keep(state: ClassState, member: Member, sent: Mapping[str, str], text: str) -> Chart:
    """Keep a chart that was sent, and return it; raise CardGameError where it is not taken."""
    answers.require(not state.classroom.closed, words.CLOSED)
    answers.require(member.student.state != "out", STEPPED_OUT)
    table, sent_chart = chart_sent(sent, text)
    store = class_store().charts
    added = store.add(state.code, member.number, table, str(sent_chart))
    if isinstance(added, NotTaken):
        raise answers.NotAllowed(added.value)
    own = store.charts(state.code, member.number)
    return next(chart for chart in own if chart.number == added)


def _show_form(
    reader: Reader,
    table: str,
    why: str = "",
    pressed: StrategyChart | None = None,
    typed: str = "",
    *,
    start: str = "",
) -> flask.Response:
    """Answer with the form to hand a chart in: begun anew, or as it was sent and refused.

    The grid starts with ``dealer``, or the number of an own chart.
    """
    own = class_store().charts.charts(reader.state.code, reader.student)
    earlier = {str(chart.number): chart for chart in own if chart.table == table}
    begun = earlier[start].chart if start in earlier else None
    return reader.page(
        "class/strategies_form.html",
        table,
        422 if why else 200,
        refusal=why,
        start=start if begun else DEALER,
        earlier=[*reversed(earlier)],
        groups=chart_groups(TABLES[table]),
        chart=pressed or begun or StrategyChart.read(TABLES[table], DEALER),
        typed=typed,
    )


def _show_list(reader: Reader) -> flask.Response:
    """Answer with where the charts stand: to students the best ones and their own."""
    state, found = reader.state, charts_of(reader.state)
    own = [chart for chart in found.charts if reader.sees(chart)]
    shown = {
        table: [one for at, one in enumerate(placed) if at < MAX_SHOWN or reader.sees(one.chart)]
        for table, placed in found.standings.items()
    }
    if wants_json():

        def rated(chart: Chart, **about: Any) -> dict[str, Any]:
            return {**about, "name": reader.name_of(chart), **_rating_document(chart)}

        standings = {
            table: [rated(one.chart, places=[one.first, one.last]) for one in placed]
            for table, placed in shown.items()
        }
        about = {"class": state.code, "title": state.classroom.title, "standings": standings}
        return json_response(about | {"charts": [rated(one, table=one.table) for one in own]})
    newest = own[-1].table if own else "blackjack"
    asked = flask.request.args.get("table", "")
    table = asked if asked in TABLES else newest
    return reader.page(
        "class/strategies.html",
        table,
        places=answers.page_of(shown[table], lambda one: reader.name_of(one.chart)),
        entered=len(found.standings[table]),
        waiting=sum(chart.kept.phase == "waiting" for chart in found.charts),
        charts=answers.page_of(own[::-1], reader.name_of, "charts"),
        date_text=answers.date_text,
        decks=DECKS,
        rounds=ROUNDS,
    )


def _rating_document(one: Chart) -> dict[str, Any]:
    """Return the rating of a chart as JSON: points a round, and against the best one."""
    rating = one.rating
    decks = rating.decks if rating else None
    return {
        "chart": one.number,
        "phase": one.kept.phase,
        "ev": rating.expected_value if rating else None,
        "points": rating.points if rating else None,
        "decks": {"mean": decks[0], "reach": decks[1]} if decks else None,
    }


def _show_chart(reader: Reader, number: str, compared: str) -> flask.Response:
    """Answer with one chart, compared with another: ``best``, ``dealer`` or another's number."""
    state = reader.state
    charts = {str(chart.number): chart for chart in charts_of(state).charts}
    one = charts.get(number)
    if one is None:
        raise NotFound
    if not reader.sees(one):
        return refusal(NOT_YOURS, 403, **{"class": state.code})
    others = {
        key: other
        for key, other in charts.items()
        if other.table == one.table and other is not one and reader.sees(other)
    }
    compared = compared if compared in {BEST, DEALER, *others} else BEST
    if compared in others:
        other = others[compared].chart
    elif compared == DEALER:
        other = StrategyChart.read(one.rules, DEALER)
    else:
        other = best_chart(one.table)
    if wants_json():
        return json_response(_chart_document(state, one, compared, other))
    theirs = [key for key, other in others.items() if other.student == one.student]
    offered = dict.fromkeys([*theirs[::-1][:MAX_COMPARED], *({compared} & others.keys())])
    return reader.page(
        "class/strategies_chart.html",
        one.table,
        one=one,
        offered=[others[key] for key in offered],
        compared=compared,
        gap=_gap(one, others.get(compared), compared),
        differences=_differences(state, one, other),
        groups=chart_groups(one.rules),
        chart=one.chart,
        other=other,
    )


def _differences(
    state: ClassState, one: Chart, other: StrategyChart
) -> list[tuple[Cell, bool, float]]:
    """Return where a rated chart differs from another, the costliest place first.

    With whether it hits there, and what that costs by itself in points a round; below 0 it saves.
    """
    if not one.rating:
        return []
    costs, chart = class_store().charts.costs(state.code, one), one.chart
    found = ((cell, chart.hits(cell), costs.get(cell, 0.0)) for cell in chart.differences(other))
    return sorted(found, key=lambda row: -row[2])


def _gap(one: Chart, other: Chart | None, compared: str) -> float | None:
    """Return by how many points a first round is worth more with a chart; None until rated."""
    if one.rating is None:
        return None
    if other is None:
        expected = DEALER_EXPECTED if compared == DEALER else BEST_EXPECTED
        return one.rating.points - POINTS * expected[one.table]
    return one.rating.points - other.rating.points if other.rating else None


def _chart_document(
    state: ClassState, one: Chart, compared: str, other: StrategyChart
) -> dict[str, Any]:
    """Return a chart and where it differs from another, as JSON."""
    return {
        "class": state.code,
        "table": one.table,
        "name": state.members[one.student].student.name,
        "handed_in": one.kept.handed_in,
        "rows": one.kept.rows,
        **_rating_document(one),
        "done": int(one.kept.phase != "waiting"),
        "steps": 1,
        "with": compared,
        "differences": [
            {"place": str(cell), "decision": "hit" if hits else "stay", "cost": cost}
            for cell, hits, cost in _differences(state, one, other)
        ],
    }
