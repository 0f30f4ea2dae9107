"""*Insight* in short: how a class plays, and what of it the big screen shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardgames import GAMES
from cardgames.records.line import InvalidRecord, parse
from web.classroom.insight import CostlyDecision, TableInsight, class_insight
from web.classroom.state import ClassState, class_store
from web.rounds.addresses import replay_address

MAX_ON_SCREEN: Final = 4
"""Maximum number of decisions on the big screen, to be read from eight metres."""


@dataclass(frozen=True, slots=True)
class ScreenInsight:
    """What a class should learn next, for the whole room: nobody is named in it."""

    title: str
    """The table's."""

    slug: str
    rounds: int
    students: int
    costly: tuple[CostlyDecision, ...]


def insight_of(state: ClassState) -> dict[str, TableInsight]:
    """Return how a class has played, by the tables at which it has; who is banned is left out."""
    known = {member.number for member in state.students}
    plays = class_store().insight.plays(state.code)
    return class_insight({one.student: one.play for one in plays if one.student in known})


def chosen_table(found: Mapping[str, TableInsight], asked: str) -> TableInsight | None:
    """Return the table that was asked for, else the one at which most rounds were played."""
    return found.get(asked) or max(found.values(), key=lambda one: one.rounds, default=None)


def screen_insight(state: ClassState, asked: str) -> ScreenInsight | None:
    """Return how a class plays, for the big screen; None where there is nothing yet.

    Args:
        state: the class.
        asked: the slug of the table that was asked for.
    """
    table = chosen_table(insight_of(state), asked)
    if table is None:
        return None
    title, students = GAMES[table.slug].info.title, len(table.students)
    costly = table.costly[:MAX_ON_SCREEN]
    return ScreenInsight(title, table.slug, table.rounds, students, costly)


def screen_document(shown: ScreenInsight | None) -> dict[str, Any] | None:
    """Return the same as JSON."""
    if shown is None:
        return None
    return {
        "table": shown.slug,
        "rounds": shown.rounds,
        "students": shown.students,
        "decisions": [decision_document(one) for one in shown.costly],
    }


def decision_document(one: CostlyDecision) -> dict[str, Any]:
    """Return a costly decision as JSON."""
    return {
        "what": one.what,
        "move": one.mistake.chosen,
        "total": one.mistake.total,
        "soft": one.mistake.soft,
        "upcard": one.mistake.upcard.value,
        "students": one.students,
        "of": one.of,
        "times": one.mistake.times,
        "each": one.each,
        "points": one.points,
        "replay": replay_of(one),
    }


def replay_of(one: CostlyDecision) -> str:
    """Return the address of a round in which it was decided; empty where none can be shown."""
    try:
        record = parse(one.mistake.record)
    except InvalidRecord:
        return ""
    step = one.mistake.step
    return f"{replay_address(record)}?step={step}" if 0 < step <= record.steps else ""
