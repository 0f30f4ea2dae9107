"""Students' rounds at the tables: put by with the move that ends them, judged beside the server.

A round is judged once, in the process that steps back behind those that answer
(:mod:`web.background`). The rounds wait in the class's own store, and not among the jobs of
:mod:`web.storage.jobs`: those are kept apart from every class, a few hundred at most, and what a
student has played is forgotten with the student.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec

from cardgames import GAMES
from cardgames.advice import Advisor, Decision
from cardgames.game import AnyGame
from cardgames.records.line import line
from cardgames.records.record import Record
from cardgames.records.replay import Replay, redacted, replay, told
from cardgames.table import Phase
from web.background import Task
from web.classroom.access import browser_of, known_classes
from web.classroom.insight import (
    JudgedRound,
    Mistake,
    Play,
    advisor_at,
    merged,
    pack_play,
    unpack_play,
    with_round,
)
from web.classroom.state import NoClass, class_store, load_class
from web.classroom.storage import open_class_store
from web.classroom.storage.insight import InsightStore, Judged
from web.classroom.storage.protocol import ClassStore
from web.rounds.worth import decisions_of, review
from web.settings import Settings
from web.storage.store import Store
from web.tables.listeners import RoundsOver
from web.tables.location import TableLocation
from web.tables.rows import UNREADABLE
from web.tables.stored_round import StoredRound, pack_costs

PART: Final = 1.0
"""So many seconds are judged at a time."""

_MOST: Final = 200
"""So many rounds are judged at a time at most; what came of them is one write."""

Settle = Callable[[str, Sequence[Judged]], None]

log = logging.getLogger("cardgames.classroom")


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """A round that waits to be judged."""

    game: str
    round: StoredRound


# ---- With the move -------------------------------------------------------------------------------


def note_rounds(over: RoundsOver) -> None:
    """Let the rounds that a move has ended wait, in each class that the player is a student of.

    Those at deal links are not the class's, nor are those from a deck of the player's own.

    Raises:
        StoreUnavailable: they cannot be kept.
    """
    codes = known_classes()
    game = over.location.game
    if not codes or type(over.location) is not TableLocation or not game.advisor:
        return
    rounds = [
        msgspec.msgpack.encode(Waiting(game.info.slug, _stored(over, game, record)))
        for record in over.records
        if not _is_own_deck(game, record)
    ]
    if not rounds:
        return
    for code in codes:
        if student := _student_in(code):
            class_store().insight.add_rounds(code, student, rounds)


def _stored(over: RoundsOver, game: AnyGame, record: Record) -> StoredRound:
    """Return a round as it waits: with what its decisions have cost where the coach has said so."""
    stored = StoredRound.of(record, game)
    if over.decisions is None or record is not over.records[-1]:
        return stored
    return stored.with_costs(pack_costs(over.decisions))


def _is_own_deck(game: AnyGame, record: Record) -> bool:
    """Say whether a round was played from a deck that the player has sent."""
    return record.stacked or any(record.actions[0][name] for name in game.deals.decks)


def _student_in(code: str) -> int:
    """Return the number of the browser's student, if what they do is counted; else 0."""
    try:
        state = load_class(code)
    except NoClass:
        return 0
    browser = browser_of(state.code)
    if state.room.closed:
        return 0
    return next((one.number for one in state.playing if browser in one.student.browsers), 0)


# ---- Beside the server ---------------------------------------------------------------------------


def make_judge(settings: Settings, _: Store) -> Task:
    """Return what judges a part of the rounds that wait.

    What came of them is written by a thread that does not step back: a file has one writer at a
    time, and while that one waits for a processor, so would every player's move.
    """
    if settings.classes == "off":
        return lambda: False
    writer = ThreadPoolExecutor(1)
    writer.submit(int).result()  # it starts now, before the process steps back
    opened: list[ClassStore] = []

    def judge() -> bool:
        if not opened:
            opened.append(open_class_store(settings.ensure_data_dir(), settings.session_store))
        store = opened[0].insight
        return judge_part(store, lambda *judged: writer.submit(store.settle, *judged).result())

    return judge


def judge_part(store: InsightStore, settle: Settle | None = None) -> bool:
    """Judge some rounds of the class that has waited longest; return False where none wait.

    Args:
        store: where they wait.
        settle: writes what came of them; by default the store does, at once.
    """
    code = store.waiting_class()
    if not code:
        return False
    until = time.monotonic() + PART
    judged: dict[int, list[JudgedRound]] = defaultdict(list)
    numbers: dict[int, list[int]] = defaultdict(list)
    for one in store.waiting(code, _MOST):
        numbers[one.student].append(one.number)
        if found := judged_round(one.data):
            judged[one.student].append(found)
        if time.monotonic() > until:
            break
    settled = []
    for student, done in numbers.items():
        stored = store.play_of(code, student)
        play: Play = unpack_play(stored)
        for found in judged[student]:
            play = with_round(play, found)
        settled.append(Judged(stored._replace(data=pack_play(play)), tuple(done)))
    (settle or store.settle)(code, settled)
    return True


def judged_round(data: bytes) -> JudgedRound | None:
    """Return what came of a round; None where it cannot be read or played again.

    Args:
        data: what :func:`note_rounds` has kept of it.
    """
    try:
        waiting = msgspec.msgpack.decode(data, type=Waiting)
        advisor = advisor_at(waiting.game)
        return _judged(GAMES[waiting.game], advisor, waiting.round) if advisor else None
    except UNREADABLE as error:  # and InvalidRecord, which is a ValueError
        log.warning("a student's round could not be judged: %s", type(error).__name__)
        return None


def _judged(game: AnyGame, advisor: Advisor, stored: StoredRound) -> JudgedRound:
    record = stored.record(game)
    replayed = replay(record)
    decisions = _decisions(advisor, stored, record, replayed)
    mistakes: tuple[Mistake, ...] = ()
    if any(one.cost for one in decisions):
        mistakes = _mistakes(advisor, decisions, replayed, _as_told(game, record, replayed))
    return JudgedRound(
        game=game.info.slug,
        won=advisor.points[record.result] > 0,
        costs=tuple(one.cost for one in decisions),
        mistakes=mistakes,
    )


def _decisions(
    advisor: Advisor, stored: StoredRound, record: Record, replayed: Replay
) -> tuple[Decision, ...]:
    """Return the decisions of a round: what the coach has said of them counts, and is not asked."""
    if stored.costs is not None and len(stored.costs) == record.steps - 1:
        return tuple(decisions_of(advisor, stored.costs, record, replayed))
    return review(advisor, record, replayed)


def _mistakes(
    advisor: Advisor, decisions: tuple[Decision, ...], replayed: Replay, record: str
) -> tuple[Mistake, ...]:
    """Return the decisions of a round that were not the best ones."""
    steps = [step for step, one in enumerate(replayed.tables[:-1]) if one.phase is Phase.PLAYING]
    found = []
    for step, one in zip(steps, decisions, strict=True):
        if not one.cost:
            continue
        situation = advisor.situation(replayed.tables[step].state)
        found.append(
            Mistake(
                chosen=one.chosen,  # type: ignore[arg-type]  # it is validated when it is read
                total=situation.total,
                soft=situation.soft,
                upcard=advisor.upcard_rank(situation.upcard),
                times=1,
                cost=one.cost,
                worst=one.cost,
                record=record,
                step=step,
            )
        )
    return merged(found)


def _as_told(game: AnyGame, record: Record, replayed: Replay) -> str:
    """Return a round as it may be looked at.

    Of a deck that is played on with, it tells what its player has seen; the next round's cards are
    nobody's yet.
    """
    if game.carry_type is None:
        return line(record)
    return line(redacted(told(record, replayed), game.seen(replayed.last.state)))
