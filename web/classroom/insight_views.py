"""``/class/CODE/insight``: what a class should learn next, for its instructor."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import flask

from cardgames import GAMES
from cardgames.cards import Rank
from cardgames.records.line import InvalidRecord, parse
from cardgames.strategies.habits import HABITS, has_hands
from cardgames.text import Text, comma_join
from web.charts import axis_end
from web.classroom.answers import class_address, csv_response, page_of, remembered, require
from web.classroom.codes import tidy_code
from web.classroom.dashboard import answer_move, extend_expiry
from web.classroom.insight import POINTS, Mistake, Play, TablePlay, advisor_at, merged
from web.classroom.misconceptions import MIN_STUDENTS, Misconception, misconceptions, position_of
from web.classroom.model import Change, Drill
from web.classroom.moves import ClassMove, MoveRequest, Options
from web.classroom.state import ClassState, class_store, led_class, page_version
from web.classroom.tournament_moves import NO_HANDS
from web.classroom.tournaments import MAX_TOURNAMENTS, TABLES
from web.classroom.updates import answer_known_page, is_here, last_seen
from web.classroom.vote_moves import vote_moves
from web.http.downloads import Cell
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.turns import takes_long
from web.rounds.addresses import replay_address
from web.storage.sessions import renew_session

MAX_LISTED: Final = 12  # costly decisions on the page; the spreadsheet has all
MAX_ON_SCREEN: Final = 4  # on the big screen, to be read from eight metres
PER: Final = 100  # decisions for which points given away are shown
_SURE: Final = 1.96  # standard errors within which a mean lies in nineteen cases of twenty
_UNSURE: Final = 0.05  # how often an interval may be wrong

blueprint = flask.Blueprint("class-insight", __name__)
blueprint.before_request(answer_known_page)


@dataclass(frozen=True, slots=True)
class CostlyDecision:
    """What several students have decided alike, though something else was better."""

    slug: str  # the table's
    mistake: Mistake  # all of it together; its round is the one in which it has cost most
    students: int
    of: int  # how many students have played there

    @property
    def what(self) -> Text:
        """What was decided."""
        advisor, one = advisor_at(self.slug), self.mistake
        assert advisor  # noqa: S101 - nothing is kept of other tables
        return advisor.decision_text(one.chosen, one.total, one.upcard, soft=one.soft)

    @property
    def hand(self) -> str:
        """The hand in short, as ``16`` or ``s18``."""
        return f"s{self.mistake.total}" if self.mistake.soft else str(self.mistake.total)

    @property
    def upcard(self) -> str:
        """The dealer's card in short."""
        rank = self.mistake.upcard
        return "10" if rank is Rank.TEN else rank.value

    @property
    def points(self) -> float:
        """What it has cost in all."""
        return self.mistake.cost * POINTS

    @property
    def each(self) -> float:
        """What it has cost each time, on average."""
        return self.points / max(1, self.mistake.times)

    @property
    def replay(self) -> str:
        """The address of the round in which it has cost most; empty where none can be shown."""
        try:
            record = parse(self.mistake.record)
        except InvalidRecord:
            return ""
        step = self.mistake.step
        return f"{replay_address(record)}?step={step}" if 0 < step <= record.steps else ""

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        one = self.mistake
        hand = {"total": one.total, "soft": one.soft, "upcard": one.upcard.value}
        counts = {"students": self.students, "of": self.of, "times": one.times}
        cost = {"each": self.each, "points": self.points, "replay": self.replay}
        return {"what": self.what, "move": one.chosen, **hand, **counts, **cost}


class Estimate(NamedTuple):
    """A mean, and the ends of the interval in which it lies in nineteen cases of twenty."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class StudentPlay:
    """How one student has played at a table."""

    number: int
    play: TablePlay
    # The points given away in a hundred decisions; None where nothing was decided.
    given: Estimate | None


@dataclass(frozen=True, slots=True)
class TableInsight:
    """How a class has played at a table."""

    slug: str
    rounds: int
    costly: tuple[CostlyDecision, ...]  # the costliest first; none of fewer than three students
    students: tuple[StudentPlay, ...]  # those who have played there; who gives least away first

    @property
    def title(self) -> str:
        """The table's title."""
        return GAMES[self.slug].info.title

    @property
    def on_screen(self) -> tuple[CostlyDecision, ...]:
        """The decisions on the big screen: the costliest."""
        return self.costly[:MAX_ON_SCREEN]

    def screen_document(self) -> dict[str, Any]:
        """Return what the big screen shows as JSON: nobody is named in it."""
        about = {"table": self.slug, "rounds": self.rounds, "students": len(self.students)}
        return about | {"decisions": [decision.document() for decision in self.on_screen]}


def class_insight(plays: Mapping[int, Play]) -> dict[str, TableInsight]:
    """Return how a class has played, by the tables at which it has."""
    found = {}
    for slug in GAMES:
        here = {who: play[slug] for who, play in plays.items() if slug in play}
        if any(play.rounds for play in here.values()):
            found[slug] = _table_insight(slug, here)
    return found


def _table_insight(slug: str, plays: Mapping[int, TablePlay]) -> TableInsight:
    mistakes = [mistake for play in plays.values() for mistake in play.mistakes]
    times = sum(mistake.times for mistake in mistakes)
    usual = sum(mistake.cost for mistake in mistakes) / times if times else 0.0
    students = [
        StudentPlay(who, play, estimate(play, usual)) for who, play in plays.items() if play.rounds
    ]
    students.sort(key=lambda one: (one.given is None, one.given or (), one.number))
    who_decided = Counter(
        what for play in plays.values() for what in {found.what for found in play.mistakes}
    )
    costly = [
        CostlyDecision(slug, mistake, who_decided[mistake.what], len(students))
        for mistake in merged(mistakes)
        if who_decided[mistake.what] >= MIN_STUDENTS
    ]
    costly.sort(key=lambda one: (-one.mistake.cost, one.mistake.what))
    rounds = sum(play.rounds for play in plays.values())
    return TableInsight(slug, rounds, tuple(costly), tuple(students))


def estimate(play: TablePlay, usual: float) -> Estimate | None:
    """Return how many points a student gives away in a hundred decisions.

    Who has made no mistake yet may still make one: in n decisions without, the chance of one is
    below 1 - 0.05^(1/n) in nineteen cases of twenty (about 3/n, "the rule of three"), and it then
    costs what one costs in the class.

    Args:
        play: what the student has done at a table.
        usual: what a mistake costs on average in the class, in rounds.

    >>> estimate(TablePlay(rounds=9, decisions=10, cost=0.2, squares=0.02), 0.1)
    Estimate(mean=200.0, low=0.0, high=461.3...)
    >>> estimate(TablePlay(rounds=9, decisions=59), 0.1)
    Estimate(mean=0.0, low=0.0, high=49.5...)
    """
    n = play.decisions
    if not n:
        return None
    mean = play.cost / n
    unseen = (1 - _UNSURE ** (1 / n)) * usual
    spread = max(0.0, play.squares - n * mean * mean) / (n - 1) if n > 1 else 0.0
    reach = _SURE * math.sqrt(spread / n) if n > 1 else mean
    low, high = max(0.0, mean - reach), max(mean + reach, unseen)
    scale = POINTS * PER
    return Estimate(mean * scale, low * scale, high * scale)


def insight_of(state: ClassState) -> Mapping[str, TableInsight]:
    """Return how a class has played, by the tables at which it has; who is banned is left out.

    A worker remembers it until a round is judged, or a student comes or goes: of 1,000 students it
    takes 24 ms.
    """
    store = class_store().insight

    def add_up() -> dict[str, TableInsight]:
        known = {member.number for member in state.students}
        plays = store.plays(state.code)
        return class_insight({kept.student: kept.play for kept in plays if kept.student in known})

    version = store.version(state.code), state.counters.students
    return remembered(("insight", state.code), version, add_up)


def chosen_table(state: ClassState, asked: str) -> TableInsight | None:
    """Return how a class has played at the table that was asked for.

    At the one with most rounds where it has not played there; None where nothing is judged yet.
    """
    found = insight_of(state)
    return found.get(asked) or max(found.values(), key=lambda one: one.rounds, default=None)


@blueprint.get("/class/<code>/insight")
@takes_long
def show(code: str) -> flask.Response:
    """Show how a class plays at a table; the class lives on from now."""
    state = led_class(code)
    renew_session()
    extend_expiry(state)
    return _answer(state)


@blueprint.post("/class/<code>/insight")
@takes_long
def move(code: str) -> flask.Response:
    """Give the class a drill or take it back, or refuse it."""
    table = flask.request.args.get("table", "")
    query = f"?table={table}" if table in GAMES else ""
    return answer_move(
        code,
        _moves,
        lambda name, request: _WRITES[name](request),
        _answer,
        address=f"{class_address(tidy_code(code))}/insight{query}",
    )


def _moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about a drill that are possible now."""
    if not state.classroom.closed and flask.current_app.config["COACH"]:
        tables: Options = {slug: GAMES[slug].info.title for slug in TABLES}
        habits: Options = {name: one.about for name, one in HABITS.items() if one.is_drilled}
        yield ClassMove("drill", Text("Drill it"), {"table": tables, "habit": habits})
    if state.classroom.drill:
        yield ClassMove("end-drill", Text("End the drill"))


def _drill(request: MoveRequest) -> Change:
    table, habit = request.choice("table", TABLES), request.choice("habit", HABITS)
    require(has_hands(table, habit), NO_HANDS)
    return request.write(drill=Drill(table, habit))


_WRITES: Final[Mapping[str, Callable[[MoveRequest], Change]]] = {
    "drill": _drill,
    "end-drill": lambda request: request.write(drill=None),
}


def _answer(state: ClassState, status: int = 200, refusal: str = "", *_: object) -> flask.Response:
    """Answer with how a class plays."""
    found, waiting = insight_of(state), class_store().insight.count_waiting(state.code)
    moves = {move.name: move for move in _moves(state)}
    if wants_json():
        tables = {slug: _table_document(state, table) for slug, table in found.items()}
        about = {"class": state.code, "title": state.classroom.title, "waiting": waiting}
        about |= {"step": state.counters.version, "moves": [*moves.values()]}
        about["drill"] = state.classroom.drill and state.classroom.drill._asdict()
        return json_response(about | {"tables": tables}, status, refusal)
    table = chosen_table(state, flask.request.args.get("table", ""))
    seen, now = last_seen(state), state.counters.now
    students = table.students if table else ()
    return render_page(
        "class/insight.html",
        status,
        state=state,
        version=page_version(state.counters, "insight"),
        here_now=sum(is_here(seen[member.number].at, now) for member in state.students),
        tables=found,
        table=table,
        costly=table.costly[:MAX_LISTED] if table else (),
        beliefs=misconceptions([one.play for one in students]),
        alike=lambda belief: _alike(table, belief) if table else [],
        position_of=position_of,
        may_vote=any(move.name == "ask" for move in vote_moves(state)),
        may_play=not state.classroom.closed and len(state.classroom.tournaments) < MAX_TOURNAMENTS,
        moves=moves,
        has_hands=has_hands,
        titles={slug: GAMES[slug].info.title for slug in TABLES},
        refusal=refusal,
        list=page_of(students, lambda one: _name(state, one)),
        top=axis_end(max((who.given.high for who in students if who.given), default=0.0)),
        waiting=waiting,
        at=comma_join(game.info.title for slug, game in GAMES.items() if advisor_at(slug)),
    )


def _alike(table: TableInsight, belief: Misconception) -> list[CostlyDecision]:
    """Return the decisions that come from a belief and that enough students have made alike."""
    return [
        CostlyDecision(table.slug, mistake, students, belief.of)
        for mistake, students in belief.alike
    ]


def _table_document(state: ClassState, table: TableInsight) -> dict[str, Any]:
    """Return how a class has played at a table, as JSON."""
    beliefs = misconceptions([student.play for student in table.students])
    return {
        "rounds": table.rounds,
        "misconceptions": [
            one.document() | {"decisions": [cell.document() for cell in _alike(table, one)]}
            for one in beliefs.listed
        ],
        "unlisted": {"points": beliefs.unlisted, "of": beliefs.total},
        "decisions": [decision.document() for decision in table.costly],
        "students": [
            {
                "number": student.number,
                "name": _name(state, student),
                "rounds": student.play.rounds,
                "won": student.play.won,
                "decisions": student.play.decisions,
                "per_100": student.given.mean if student.given else None,
                "interval": student.given[1:] if student.given else None,
            }
            for student in table.students
        ],
    }


def _name(state: ClassState, one: StudentPlay) -> str:
    return state.members[one.number].student.name


@blueprint.get("/class/<code>/insight/students.csv")
@takes_long
def students(code: str) -> flask.Response:
    """Return how each student has played at each table, under nicknames."""
    state = led_class(code)
    head = (
        *("number", "nickname", "table", "rounds", "won", "decisions"),
        *("points given away per 100 decisions", "from", "to"),
    )
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state).items():
        for student in table.students:
            given = [round(end, 3) for end in student.given] if student.given else [None] * 3
            play = (student.play.rounds, student.play.won, student.play.decisions)
            lines.append((student.number, _name(state, student), slug, *play, *given))
    return csv_response(f"{state.code}-insight.csv", head, lines)


@blueprint.get("/class/<code>/insight/decisions.csv")
@takes_long
def decisions(code: str) -> flask.Response:
    """Return a class's costliest decisions, of three students at least each."""
    state = led_class(code)
    head = ("table", "decision", "students", "of", "times", "points each", "points in all")
    lines: list[Sequence[Cell]] = []
    for slug, table in insight_of(state).items():
        for decision in table.costly:
            counts = (decision.students, decision.of, decision.mistake.times)
            lines.append(
                (slug, decision.what, *counts, round(decision.each, 3), round(decision.points, 3))
            )
    return csv_response(f"{state.code}-decisions.csv", head, lines)
