"""*Insight* in short: a class's costliest decisions, without any name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardgames import GAMES
from cardgames.cards import Rank
from cardgames.records.line import InvalidRecord, parse
from cardgames.text import Text
from web.charts import lengths
from web.classroom.insight import CostlyDecision, TableInsight, advisor_at, class_insight
from web.classroom.state import ClassState, class_store
from web.rounds.addresses import replay_address

MAX_ON_SCREEN: Final = 4
"""Maximum number of them on the big screen, to be read from eight metres."""


@dataclass(frozen=True, slots=True)
class CostlyRow:
    """One of the class's costliest decisions, without any name."""

    what: Text
    decision: CostlyDecision
    of: int
    """How many students have played at the table."""

    bar: float
    """The length of its bar, in percent of the costliest one's."""

    @property
    def hand(self) -> str:
        """The hand in short, as ``16`` or ``s18``."""
        mistake = self.decision.mistake
        return f"s{mistake.total}" if mistake.soft else str(mistake.total)

    @property
    def upcard(self) -> str:
        """The dealer's card in short."""
        rank = self.decision.mistake.upcard
        return "10" if rank is Rank.TEN else rank.value

    @property
    def replay(self) -> str:
        """The address of a round in which it was decided; empty where none can be shown."""
        mistake = self.decision.mistake
        try:
            record = parse(mistake.record)
        except InvalidRecord:
            return ""
        is_in = 0 < mistake.step <= record.steps
        return f"{replay_address(record)}?step={mistake.step}" if is_in else ""


@dataclass(frozen=True, slots=True)
class ScreenInsight:
    """What a class should learn next, for the whole room: nobody is named in it."""

    slug: str
    rounds: int
    students: int
    costly: tuple[CostlyRow, ...]

    @property
    def title(self) -> str:
        """The table's."""
        return GAMES[self.slug].info.title


def screen_insight(state: ClassState, asked: str) -> ScreenInsight | None:
    """Return how a class plays, for the big screen; None where there is nothing yet.

    Args:
        state: the class.
        asked: the slug of the table that was asked for.
    """
    table = chosen_table(insight_of(state), asked)
    if table is None:
        return None
    costly = costly_rows(table, MAX_ON_SCREEN)
    return ScreenInsight(table.slug, table.rounds, len(table.students), costly)


def insight_document(shown: ScreenInsight) -> dict[str, Any]:
    """Return the same as JSON."""
    return {
        "table": shown.slug,
        "rounds": shown.rounds,
        "students": shown.students,
        "decisions": [costly_document(row) for row in shown.costly],
    }


def insight_of(state: ClassState) -> dict[str, TableInsight]:
    """Return how a class has played, by the tables at which it has; who is banned is left out."""
    known = {member.number for member in state.students}
    plays = class_store().insight.plays(state.code)
    return class_insight({one.student: one.play for one in plays if one.student in known})


def costly_rows(table: TableInsight, most: int | None = None) -> tuple[CostlyRow, ...]:
    """Return the class's costliest decisions at a table, at most some number of them."""
    advisor = advisor_at(table.slug)
    assert advisor  # noqa: S101 - nothing is kept of other tables
    costly = table.costly[:most]
    return tuple(
        CostlyRow(
            advisor.decision_text(
                one.mistake.chosen, one.mistake.total, one.mistake.upcard, soft=one.mistake.soft
            ),
            one,
            len(table.students),
            bar,
        )
        for one, bar in zip(costly, lengths([one.points for one in costly]), strict=True)
    )


def chosen_table(found: Mapping[str, TableInsight], asked: str) -> TableInsight | None:
    """Return the table that was asked for, else the one at which most rounds were played."""
    return found.get(asked) or max(found.values(), key=lambda one: one.rounds, default=None)


def costly_document(row: CostlyRow) -> dict[str, Any]:
    """Return a costly decision as JSON."""
    mistake = row.decision.mistake
    return {
        "what": row.what,
        "move": mistake.chosen,
        "total": mistake.total,
        "soft": mistake.soft,
        "upcard": mistake.upcard.value,
        "students": row.decision.students,
        "of": row.of,
        "times": mistake.times,
        "each": row.decision.each,
        "points": row.decision.points,
        "replay": row.replay,
    }
