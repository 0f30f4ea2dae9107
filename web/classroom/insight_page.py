"""*Insight* as it is shown: to the instructor, on the big screen, in JSON and for a spreadsheet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import flask

from cardgames import GAMES
from cardgames.cards import Rank
from cardgames.records.line import InvalidRecord, parse
from cardgames.text import Text, comma_join, format_number, plural
from web.charts import Span, lengths, spans
from web.classroom.insight import (
    CostlyDecision,
    StudentPlay,
    TableInsight,
    advisor_at,
    class_insight,
    unpack_play,
)
from web.classroom.results import csv_response
from web.classroom.state import ClassState, class_store
from web.http.downloads import Cell
from web.rounds.addresses import replay_address

SHOWN: Final = 12
"""So many of the costliest decisions are listed; the spreadsheet has all."""

ON_SCREEN: Final = 4
"""So many are on the big screen, to be read from eight metres."""

_MANY: Final = 1_000


@dataclass(frozen=True, slots=True)
class CostlyRow:
    """One of the class's costliest decisions."""

    what: Text
    hand: str
    upcard: str
    students: Text
    """How many students, of how many who have played there."""

    times: Text
    each: Text
    """The points that it has cost each time."""

    each_time: Text
    points: Text
    bar: float
    """How long its bar is, in percent of the costliest one's."""

    replay: str
    """The address of a round in which it was decided; empty where none can be shown."""


@dataclass(frozen=True, slots=True)
class StudentRow:
    """How one student has played."""

    number: int
    name: str
    rounds: int
    won: int
    decisions: int
    given: str
    """The points given away in a hundred decisions; empty where nothing was decided."""

    interval: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class ShownTable:
    """How a class has played at a table."""

    slug: str
    title: str
    counts: Text
    """How many rounds of how many students."""

    costly: tuple[CostlyRow, ...]
    more: int
    """How many further ones are in the spreadsheet alone."""

    students: tuple[StudentRow, ...]
    top: str
    """The end of the axis along which the students' intervals lie."""


@dataclass(frozen=True, slots=True)
class InsightPage:
    """The instructor's page."""

    code: str
    title: str
    version: str
    here: int
    students: int
    tables: tuple[tuple[str, str], ...]
    """The tables that can be chosen: slug and title."""

    table: ShownTable | None
    waiting: int
    """How many rounds are still to be judged."""

    at: str
    """The tables whose rounds count, in words."""


def insight_of(state: ClassState) -> dict[str, TableInsight]:
    """Return how a class has played, by the tables at which it has; who is banned is left out."""
    known = {member.number for member in state.students}
    plays = class_store().insight.plays(state.code)
    return class_insight({one.student: unpack_play(one) for one in plays if one.student in known})


def chosen_table(found: Mapping[str, TableInsight], asked: str) -> TableInsight | None:
    """Return the table that was asked for, else the one at which most rounds were played."""
    if asked in found:
        return found[asked]
    return max(found.values(), key=lambda one: one.rounds, default=None)


def insight_page(
    state: ClassState, found: Mapping[str, TableInsight], asked: str, *, version: str, here: int
) -> InsightPage:
    """Return the instructor's page.

    Args:
        state: the class.
        found: how it has played.
        asked: the slug of the table that was asked for.
        version: what changes whenever the page does.
        here: how many students are here.
    """
    chosen = chosen_table(found, asked)
    return InsightPage(
        code=state.code,
        title=state.classroom.title,
        version=version,
        here=here,
        students=len(state.students),
        tables=tuple((slug, GAMES[slug].info.title) for slug in found),
        table=shown_table(state, chosen, SHOWN) if chosen else None,
        waiting=class_store().insight.count_waiting(state.code),
        at=comma_join(game.info.title for slug, game in GAMES.items() if advisor_at(slug)),
    )


def shown_table(state: ClassState, table: TableInsight, most: int) -> ShownTable:
    """Return how a class has played at a table, as it is drawn.

    Args:
        state: the class.
        table: how it has played there.
        most: how many of the costliest decisions are listed.
    """
    costly = table.costly[:most]
    bars = lengths([one.points for one in costly])
    drawn, top = spans([one.given for one in table.students if one.given])
    places = iter(drawn)
    counts = plural(
        "{number} round of {students}",
        "{number} rounds of {students}",
        table.rounds,
        students=plural("{number} student", "{number} students", len(table.students)),
    )
    return ShownTable(
        slug=table.slug,
        title=GAMES[table.slug].info.title,
        counts=counts,
        costly=tuple(_costly_row(table, one, bar) for one, bar in zip(costly, bars, strict=True)),
        more=len(table.costly) - len(costly),
        students=tuple(
            _student_row(state, one, next(places) if one.given else None) for one in table.students
        ),
        top=top,
    )


def _costly_row(table: TableInsight, one: CostlyDecision, bar: float) -> CostlyRow:
    mistake = one.mistake
    each = _tenths(one.each)
    upcard = "10" if mistake.upcard is Rank.TEN else mistake.upcard.value
    return CostlyRow(
        what=decision_text(table.slug, one),
        hand=f"s{mistake.total}" if mistake.soft else str(mistake.total),
        upcard=upcard,
        students=plural(
            "{some} of {number} student",
            "{some} of {number} students",
            len(table.students),
            some=one.students,
        ),
        times=plural("once", "{number} times", mistake.times),
        each=Text("{points} points each", points=each),
        each_time=Text("{points} points each time", points=each),
        points=_tenths(one.points),
        bar=bar,
        replay=replay_of(one),
    )


def decision_text(slug: str, one: CostlyDecision) -> Text:
    """Name a decision at a table."""
    advisor, mistake = advisor_at(slug), one.mistake
    assert advisor  # noqa: S101 - a class has played at these tables alone (unpack_play)
    return advisor.decision_text(mistake.chosen, mistake.total, mistake.upcard, soft=mistake.soft)


def replay_of(one: CostlyDecision) -> str:
    """Return the address of a round in which something was decided; empty if it cannot be read."""
    try:
        record = parse(one.mistake.record)
    except InvalidRecord:
        return ""
    step = one.mistake.step
    return f"{replay_address(record)}?step={step}" if 0 < step <= record.steps else ""


def _student_row(state: ClassState, one: StudentPlay, span: Span | None) -> StudentRow:
    given = one.given
    return StudentRow(
        number=one.number,
        name=state.members[one.number].student.name,
        rounds=one.play.rounds,
        won=one.play.won,
        decisions=one.play.decisions,
        given=_tenths(given.mean) if given else "",
        interval=Text("{low} to {high}", low=_tenths(given.low), high=_tenths(given.high))
        if given
        else "",
        span=span,
    )


def _tenths(points: float) -> Text:
    """Write points; of a thousand and more nobody needs the tenths."""
    return format_number(points, ",.1f" if points < _MANY else ",.0f")


# ---- The big screen ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScreenInsight:
    """What a class should learn next, for the whole room: nobody is named in it."""

    title: str
    """The table's."""

    counts: Text
    costly: tuple[CostlyRow, ...]
    document: dict[str, Any]
    """The same for a program."""


def screen_insight(state: ClassState, asked: str) -> ScreenInsight | None:
    """Return what the big screen shows of how a class plays; None where there is nothing yet.

    Args:
        state: the class.
        asked: the slug of the table that was asked for; else it is the one most played at.
    """
    table = chosen_table(insight_of(state), asked)
    if table is None:
        return None
    shown = shown_table(state, table, ON_SCREEN)
    document = {
        "table": table.slug,
        "rounds": table.rounds,
        "students": len(table.students),
        "decisions": costly_document(table)[:ON_SCREEN],
    }
    return ScreenInsight(shown.title, shown.counts, shown.costly, document)


# ---- For programs and spreadsheets ---------------------------------------------------------------


def insight_document(state: ClassState, found: Mapping[str, TableInsight]) -> dict[str, Any]:
    """Return how a class has played, for a program."""
    return {
        "class": state.code,
        "title": state.classroom.title,
        "waiting": class_store().insight.count_waiting(state.code),
        "tables": {
            slug: {
                "rounds": table.rounds,
                "decisions": costly_document(table),
                "students": [_student_document(state, one) for one in table.students],
            }
            for slug, table in found.items()
        },
    }


def costly_document(table: TableInsight) -> list[dict[str, Any]]:
    """Return the class's costliest decisions at a table, for a program: without any name."""
    return [
        {
            "what": decision_text(table.slug, one),
            "move": one.mistake.chosen,
            "total": one.mistake.total,
            "soft": one.mistake.soft,
            "upcard": one.mistake.upcard.value,
            "students": one.students,
            "of": len(table.students),
            "times": one.mistake.times,
            "each": one.each,
            "points": one.points,
            "replay": replay_of(one),
        }
        for one in table.costly
    ]


def _student_document(state: ClassState, one: StudentPlay) -> dict[str, Any]:
    return {
        "number": one.number,
        "name": state.members[one.number].student.name,
        "rounds": one.play.rounds,
        "won": one.play.won,
        "decisions": one.play.decisions,
        "per_100": one.given.mean if one.given else None,
        "interval": [one.given.low, one.given.high] if one.given else None,
    }


def students_csv(state: ClassState, found: Mapping[str, TableInsight]) -> flask.Response:
    """Return how each student has played at each table, under nicknames."""
    head = (
        *("number", "nickname", "table", "rounds", "won", "decisions"),
        *("points given away per 100 decisions", "from", "to"),
    )
    lines: list[Sequence[Cell]] = []
    for slug, table in found.items():
        for one in table.students:
            known = [round(end, 3) for end in one.given] if one.given else [None, None, None]
            name = state.members[one.number].student.name
            play = (one.play.rounds, one.play.won, one.play.decisions)
            lines.append((one.number, name, slug, *play, *known))
    return csv_response(f"{state.code}-insight.csv", head, lines)


def decisions_csv(state: ClassState, found: Mapping[str, TableInsight]) -> flask.Response:
    """Return a class's costliest decisions, of three students at least each."""
    head = ("table", "decision", "students", "of", "times", "points each", "points in all")
    return csv_response(f"{state.code}-decisions.csv", head, _decision_lines(found))


def _decision_lines(found: Mapping[str, TableInsight]) -> Iterable[Sequence[Cell]]:
    for slug, table in found.items():
        for one in table.costly:
            counts = (one.students, len(table.students), one.mistake.times)
            points = (round(one.each, 3), round(one.points, 3))
            yield (slug, decision_text(slug, one), *counts, *points)
