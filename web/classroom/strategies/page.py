"""The pages about strategy charts: where they stand, one of them, and the form to hand one in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cardgames import GAMES
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies.best import BEST_EXPECTED, DEALER_EXPECTED, best_chart
from cardgames.strategies.chart import UPCARDS, Cell, StrategyChart
from cardgames.strategies.common_decks import DECKS, ROUNDS
from cardgames.strategies.rating_steps import PartialRating, is_exact
from cardgames.text import Text, format_number
from web.classroom.state import ClassState
from web.classroom.strategies.comparison import (
    BEST,
    DEALER,
    POINTS,
    differences,
    gap,
    other_chart,
    others_at_table,
)
from web.classroom.strategies.forms import Group, grid
from web.classroom.strategies.model import HandedIn
from web.classroom.strategies.standings import Standing, may_see, name_of, standings

WITHS: Final = 8
"""So many of the student's other charts are offered to compare one with."""


@dataclass(frozen=True, slots=True)
class ChartLink:
    """A chart in a list."""

    number: int
    name: str
    """Whose it is."""

    table: str
    at: str
    phase: str
    """``waiting``, ``rated`` or ``failed``."""

    points: str


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Where somebody's best chart stands."""

    place: str
    name: str
    number: int
    points: str
    """Of a first round."""

    decks: str
    """Over the common decks, against the best chart, with how far chance reaches."""

    is_mine: bool


@dataclass(frozen=True, slots=True)
class StrategiesPage:
    """Where the charts of a class stand at a table."""

    code: str
    title: str
    leads: bool
    """Whether an instructor looks."""

    joined: bool
    """Whether a student does."""

    refusal: str
    tables: tuple[tuple[str, str], ...]
    table: str
    table_title: str
    exact: bool
    rows: tuple[PlaceRow, ...]
    entered: int
    """How many students have a place."""

    waiting: int
    """How many charts are still to be worked out."""

    charts: tuple[ChartLink, ...]
    """Those that can be looked at: one's own, or all; the newest first."""

    best: str
    dealer: str
    decks: int = DECKS
    rounds: int = ROUNDS


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A place in which two charts part."""

    place: Text
    does: Text
    costs: Text


@dataclass(frozen=True, slots=True)
class ChartPage:
    """One chart and its rating."""

    code: str
    title: str
    one: ChartLink
    is_mine: bool
    table_title: str
    exact: bool
    best: str
    dealer: str
    decks: str
    withs: tuple[tuple[str, Text], ...]
    """What it can be compared with: in addresses, and in words."""

    compared: str
    """With which of them it is."""

    gap: Text | None
    """By how much the two differ."""

    rows: tuple[DifferenceRow, ...]
    groups: tuple[Group, ...]
    upcards: str
    lines: str
    """The chart as text."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A form that was sent and not taken: nothing of it is lost."""

    why: str
    pressed: StrategyChart | None = None
    """The grid."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class FormPage:
    """The form to hand a chart in."""

    code: str
    title: str
    refusal: str
    table: str
    tables: tuple[tuple[str, str], ...]
    start: str
    starts: tuple[tuple[str, Text], ...]
    groups: tuple[Group, ...]
    upcards: str
    typed: str


def table_titles() -> tuple[tuple[str, str], ...]:
    """Return the tables that take charts: slug and title."""
    return tuple((slug, GAMES[slug].info.title) for slug in TABLES)


def strategies_page(
    state: ClassState,
    charts: Iterable[HandedIn],
    table: str,
    *,
    me: int,
    leads: bool,
    refusal: str = "",
) -> StrategiesPage:
    """Return where the charts of a class stand.

    Args:
        state: the class.
        charts: all that were handed in.
        table: the slug of the table.
        me: the number of the student who looks; 0 for none.
        leads: whether an instructor looks.
        refusal: why something could not be done.
    """
    charts = tuple(charts)
    found = standings(charts, table)
    shown = (one for place, one in enumerate(found) if may_see(one, place, me, leads=leads))
    own = (one for one in reversed(charts) if leads or one.student == me)
    return StrategiesPage(
        code=state.code,
        title=state.classroom.title,
        leads=leads,
        joined=bool(me),
        refusal=refusal,
        tables=table_titles(),
        table=table,
        table_title=GAMES[table].info.title,
        exact=is_exact(TABLES[table]),
        rows=tuple(_place_row(state, one, me) for one in shown),
        entered=len(found),
        waiting=sum(one.phase == "waiting" for one in charts),
        charts=tuple(chart_link(state, one) for one in own),
        best=_points(POINTS * BEST_EXPECTED[table]),
        dealer=_points(POINTS * DEALER_EXPECTED[table]),
    )


def chart_page(
    state: ClassState,
    one: HandedIn,
    costs: Mapping[Cell, float],
    others: Iterable[HandedIn],
    *,
    compared: str,
    me: int,
) -> ChartPage:
    """Return one chart, compared with another.

    Args:
        state: the class.
        one: the chart.
        costs: what its decisions cost.
        others: those with which it may be compared.
        compared: with which it is: ``best``, ``dealer`` or a number.
        me: the number of the student who looks; 0 for none.
    """
    same_table = others_at_table(one, others)
    other = other_chart(one, same_table, compared)
    compared = compared if other else BEST
    theirs = [key for key, chart in same_table.items() if chart.student == one.student]
    offered = dict.fromkeys([*theirs[::-1][:WITHS], *({compared} & same_table.keys())])
    other = other or best_chart(one.table)
    return ChartPage(
        code=state.code,
        title=state.classroom.title,
        one=chart_link(state, one),
        is_mine=one.student == me,
        table_title=GAMES[one.table].info.title,
        exact=is_exact(one.rules),
        best=_points(POINTS * BEST_EXPECTED[one.table]),
        dealer=_points(POINTS * DEALER_EXPECTED[one.table]),
        decks=_decks(one.rating) if one.rating else "",
        withs=(
            (BEST, Text("the best chart")),
            (DEALER, Text("playing as the dealer")),
            *((key, _chart_name(state, same_table[key], me)) for key in offered),
        ),
        compared=compared,
        gap=_gap_text(gap(one, same_table, compared)),
        rows=tuple(difference_rows(one, other, costs)) if one.rating else (),
        groups=grid(one.chart, other),
        upcards=UPCARDS,
        lines=one.rows,
    )


def difference_rows(
    one: HandedIn, other: StrategyChart, costs: Mapping[Cell, float]
) -> Iterable[DifferenceRow]:
    """Return the same in words."""
    chart = one.chart
    for cell, cost in differences(one, other, costs):
        soft, hard = Text("soft {total} against {upcard}"), Text("hard {total} against {upcard}")
        place = soft if cell.soft else hard
        if cost:
            said = Text("costs {points}") if cost > 0 else Text("saves {points}")
            said = said.fill(points=format_number(abs(cost), ".4f"))
        else:
            said = Text("never comes up")
        does = Text("hits") if chart.hits(cell) else Text("stays")
        upcard = UPCARDS[cell.upcard - 1]
        filled = place.fill(total=cell.total, upcard="10" if upcard == "T" else upcard)
        yield DifferenceRow(filled, does, said)


def form_page(
    state: ClassState,
    table: str,
    start: str,
    own: Iterable[HandedIn],
    refused: Refused | None = None,
) -> FormPage:
    """Return the form to hand a chart in.

    Args:
        state: the class.
        table: the slug of the table.
        start: what the grid begins with: ``dealer``, or the number of an own chart.
        own: the charts that the student has handed in.
        refused: what was sent, if it was not taken.
    """
    sent = refused or Refused("")
    earlier = {str(one.number): one for one in own if one.table == table}
    begun = earlier[start].chart if start in earlier else None
    return FormPage(
        code=state.code,
        title=state.classroom.title,
        refusal=sent.why,
        table=table,
        tables=table_titles(),
        start=start if begun else DEALER,
        starts=(
            (DEALER, Text("playing as the dealer")),
            *((key, Text("your chart {number}", number=key)) for key in reversed(earlier)),
        ),
        groups=grid(sent.pressed or begun or StrategyChart.read(TABLES[table], DEALER)),
        upcards=UPCARDS,
        typed=sent.text,
    )


def chart_link(state: ClassState, one: HandedIn) -> ChartLink:
    """Return a chart as a list has it."""
    return ChartLink(
        number=one.number,
        name=name_of(state, one),
        table=GAMES[one.table].info.title,
        at=f"{datetime.fromtimestamp(one.at).astimezone():%Y-%m-%d %H:%M}",
        phase=one.phase,
        points=_points(one.rating.points) if one.rating else "",
    )


def _place_row(state: ClassState, one: Standing, me: int) -> PlaceRow:
    rating = one.chart.rating
    return PlaceRow(
        place=one.place,
        name=name_of(state, one.chart),
        number=one.chart.number,
        points=_points(rating.points) if rating else "",
        decks=_decks(rating) if rating else "",
        is_mine=one.chart.student == me,
    )


def _chart_name(state: ClassState, one: HandedIn, me: int) -> Text:
    if one.student == me:
        return Text("your chart {number}", number=one.number)
    return Text("chart {number} by {name}", number=one.number, name=name_of(state, one))


def _gap_text(points: float | None) -> Text | None:
    """Say by how much a chart is better or worse than another, in a first round."""
    if points is None:
        return None
    said = Text("{points} points a round against it.")
    return said.fill(points=format_number(points, "+.4f"))


def _points(points: float) -> str:
    return format_number(points, "+.4f")


def _decks(rating: PartialRating) -> str:
    """Return what was played on the common decks, with how far chance reaches."""
    if rating.decks is None:
        return ""
    mean, reach = rating.decks
    return Text(
        "{mean} ± {reach}", mean=format_number(mean, "+.2f"), reach=format_number(reach, ".2f")
    )
