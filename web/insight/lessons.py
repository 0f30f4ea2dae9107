"""``/class/CODE/lesson``: what was played on a day, what was learned, what to do next; to print.

For the class's instructor, on one or two sheets. Nobody is named in it, and no number is of fewer
than three students.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import flask

from cardgames.advice import POINTS
from web.classes import words
from web.classes.insight import MAX_DAYS
from web.classes.model import Drill, RoundData
from web.classes.votes import Vote
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.turns import takes_long
from web.insight.class_insight import PER, TableInsight, insight_of
from web.insight.comparisons import (
    Comparison,
    LessonBelief,
    lesson_beliefs,
    lesson_changes,
    lesson_pair,
    lessons,
    with_last_lesson,
)
from web.insight.misconceptions import MIN_STUDENTS
from web.live_class.answers import day_of, public_address
from web.live_class.state import ClassState, class_store
from web.live_class.term import visited_class
from web.tournaments.table import TournamentState, tournaments_of

MAX_EACH: Final = 6
"""Maximum number of rounds of Bingo, votes and tournaments each: two sheets have room for them."""

MAX_BELIEFS: Final = 4
"""Maximum number of beliefs that are listed of a table."""

blueprint = flask.Blueprint("class-lesson", __name__)


class TableLesson(NamedTuple):
    """How a class has played at a table on a day."""

    table: TableInsight
    students: int
    rounds: int
    given: float
    """Points given away in a hundred decisions."""

    last: str
    """The day of the lesson before; empty where there is none."""

    beliefs: tuple[LessonBelief, ...]
    """Those of three students at least, the costliest first; then those that only the last had."""

    changes: dict[str, Comparison]
    """Against the lesson before, by the beliefs' names; all of it has the name ``""``."""

    @classmethod
    def of(cls, table: TableInsight, day: str) -> "TableLesson":
        """Sum up a day that is a lesson at a table."""
        plays = [one.days[day] for one in table.students if day in one.days]
        both = sum(play.decisions for play in plays), sum(play.cost for play in plays)
        held = with_last_lesson(table, day)
        pair, beliefs = lesson_pair(held, day), lesson_beliefs(held, day)[:MAX_BELIEFS]
        last = lesson_beliefs(held, pair[0])[:MAX_BELIEFS] if pair else []
        gone = {one.name for one in last} - {one.name for one in beliefs}
        return cls(
            table,
            len(plays),
            sum(play.rounds for play in plays),
            POINTS * PER * both[1] / max(1, both[0]),
            pair[0] if pair else "",
            (*beliefs, *(LessonBelief(one.name) for one in last if one.name in gone)),
            lesson_changes(held, pair) if pair else {},
        )

    @property
    def drill(self) -> Drill | None:
        """What to practise next: the hands of the costliest belief that has some."""
        slug = self.table.slug
        found = (one.name for one in self.beliefs if one.students and one.has_hands(slug))
        return next((Drill(slug, name) for name in found), None)

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        changes = {name: one.document() for name, one in self.changes.items()}
        beliefs = [one._asdict() | {"change": changes.get(one.name)} for one in self.beliefs]
        about = {"students": self.students, "rounds": self.rounds, "per_100": self.given}
        last = {"last": self.last or None, "change": changes.get("")}
        return about | last | {"misconceptions": beliefs, "drill": self.drill and self.drill.path}


class Lesson(NamedTuple):
    """A day of a class."""

    day: str
    tables: tuple[TableLesson, ...]
    rounds: tuple[RoundData, ...]
    """Rounds of class Bingo that counted."""

    tournaments: tuple[TournamentState, ...]
    """Those that opened on that day."""

    votes: tuple[Vote, ...]
    """Those whose solution was shown."""

    @classmethod
    def of(cls, state: ClassState, day: str) -> "Lesson":
        """Return what was done on a day."""
        tables = insight_of(state).values()
        return cls(
            day,
            tuple(TableLesson.of(one, day) for one in tables if day in lessons(one)),
            tuple(one for one in _rounds(state) if day_of(one.began) == day),
            tuple(at for at in _begun(state) if day_of(at.tournament.opens) == day),
            tuple(one for one in _solved(state) if day_of(one.opened) == day),
        )

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "day": self.day,
            "tables": {one.table.slug: one.document() for one in self.tables},
            "bingo": [one.number for one in self.rounds],
            "tournaments": [at.tournament.number for at in self.tournaments],
            "votes": [vote.document() for vote in self.votes],
        }


def days_of(state: ClassState) -> list[str]:
    """Return the days on which a class has done something, the newest first."""
    days = {day for table in insight_of(state).values() for day in lessons(table)}
    times: Iterable[float] = (
        *(one.began for one in _rounds(state)),
        *(at.tournament.opens for at in _begun(state)),
        *(vote.opened for vote in _solved(state)),
    )
    return sorted(days | set(map(day_of, times)), reverse=True)[:MAX_DAYS]


@blueprint.get("/class/<code>/lesson")
@takes_long
def show(code: str) -> flask.Response:
    """Show a day of a class, by default the newest; the class lives on from now."""
    state = visited_class(code)
    days, asked = days_of(state), flask.request.args.get("day", "")
    day = asked if asked in days else next(iter(days), "")
    lesson = Lesson.of(state, day)
    if wants_json():
        about = {"class": state.code, "title": state.classroom.title, "days": days}
        return json_response(about | {"lesson": lesson.document() if day else None})
    still_on = [at for at in tournaments_of(state) if not at.is_over]
    return render_page(
        "class/lesson.html",
        state=state,
        days=days,
        lesson=lesson,
        most=MAX_EACH,
        few=MIN_STUDENTS,
        homework=still_on[-MAX_EACH:],
        kind_text=words.kind_text,
        host=public_address().host,
    )


def _rounds(state: ClassState) -> list[RoundData]:
    return [one for one in class_store().finished(state.code) if one.finished and not one.void]


def _begun(state: ClassState) -> list[TournamentState]:
    return [at for at in tournaments_of(state) if at.tournament.opens <= state.counters.now]


def _solved(state: ClassState) -> list[Vote]:
    return [vote for vote in state.classroom.votes if vote.is_solved]
