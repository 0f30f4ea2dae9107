"""Students' rounds at the tables: noted before the move that ends them, judged beside the server.

A round is judged once, in the background process (:mod:`web.background`), which finds it where its
table keeps it: with its player's session (:mod:`web.classroom.insight_store`).
"""

import logging
import time
from collections.abc import Mapping
from typing import Final

from cardgames import GAMES
from cardgames.advice import Advisor, Decision
from cardgames.game import AnyGame
from cardgames.records.line import line
from cardgames.records.record import Record
from cardgames.records.replay import Replay, redacted, replay, with_shuffle_orders
from cardgames.table import Phase
from web.background import Task
from web.classroom.access import browser_of, known_classes
from web.classroom.insight import (
    JudgedRound,
    Mistake,
    advisor_at,
    merged,
    pack_play,
    unpack_play,
    with_round,
)
from web.classroom.insight_store import InsightStore, TableKey, WaitingRounds
from web.classroom.rows import UnknownFormat
from web.classroom.state import NoClass, class_store, load_class
from web.rounds.costs import decisions_of, review
from web.settings import Settings
from web.storage.rounds import rounds_of
from web.storage.sessions import current_session
from web.storage.store import NEVER, Store
from web.tables.listeners import RoundsOver
from web.tables.location import TableLocation
from web.tables.rows import UNREADABLE
from web.tables.stored_round import StoredRound

PART: Final = 1.0
"""So many seconds are judged at a time."""


log = logging.getLogger("cardgames.classroom")


# ---- With the move -------------------------------------------------------------------------------


def note_rounds(over: RoundsOver) -> float:
    """Let the rounds that a move ends wait, in each class that the player is a student of.

    Those at deal links are not the class's, nor are those from a deck of the player's own.

    Returns:
        until when the move must be kept, or not at all, by the store's time.

    Raises:
        StoreUnavailable: it cannot be noted.
    """
    codes, game, slot = known_classes(), over.location.game, over.slot
    if not codes or type(over.location) is not TableLocation or not game.advisor:
        return NEVER
    first = slot.table.finished - len(over.records) + 1
    numbers = [
        number
        for number, record in enumerate(over.records, first)
        if not _is_own_deck(game, record)
    ]
    if not numbers:
        return NEVER
    seats = {code: student for code in codes if (student := _student_in(code))}
    noted = (
        class_store().insight.note_rounds(
            TableKey(code, student, game.info.slug, slot.id), current_session().sid, numbers
        )
        for code, student in seats.items()
    )
    return min(noted, default=NEVER)


def _is_own_deck(game: AnyGame, record: Record) -> bool:
    """Say whether a round was played from a deck that the player has sent."""
    return record.stacked or any(record.actions[0][name] for name in game.deals.decks)


def _student_in(code: str) -> int:
    """Return the number of the browser's student, if what they do is counted; else 0."""
    try:
        state = load_class(code)
    except (NoClass, UnknownFormat):
        return 0
    browser = browser_of(state.code)
    if state.classroom.closed:
        return 0
    return next((one.number for one in state.playing if browser in one.student.browsers), 0)


# ---- Beside the server ---------------------------------------------------------------------------


def make_judge(settings: Settings, store: Store) -> Task:
    """Return what judges a part of the rounds that wait."""
    if settings.classes == "off":
        return lambda: False
    return lambda: judge_part(store)


def judge_part(store: Store) -> bool:
    """Judge some of the rounds that wait, for a second or so; return whether anything was done."""
    insight, until, done = InsightStore(store), time.monotonic() + PART, False
    for rounds in insight.waiting():
        done |= _judge_table(insight, rounds, _kept_rounds(store, rounds), until)
        if time.monotonic() > until:
            break
    return done


def _judge_table(
    store: InsightStore,
    rounds: WaitingRounds,
    kept: Mapping[int, StoredRound],
    until: float,
) -> bool:
    """Judge the rounds of one table that wait; return whether anything has changed.

    One that is not kept with the session was not played, or is just about to be written: it waits
    until that is certain.
    """
    code, student, slug, table = rounds.at
    if not store.is_student(code, student):
        store.wait_no_more(rounds)
        return True
    play = store.play_of(code, student)
    sums, last = unpack_play(play), play.judged.get(table, 0)
    judged = last
    for number in rounds.numbers:
        if number > last and number in kept:
            if found := judged_round(slug, kept[number]):
                sums = with_round(sums, found)
            judged = number
            if time.monotonic() > until:
                break
    left = [number for number in rounds.numbers if number > judged]
    if rounds.hint.is_over:
        left = [number for number in left if number in kept]
    if len(left) == len(rounds.numbers):
        return False

    after = play._replace(data=pack_play(sums), judged={**play.judged, table: judged})
    if judged == last or store.save_play(code, after):
        store.wait_no_more(rounds, left)  # else somebody was faster: it is judged again
    return True


def _kept_rounds(store: Store, rounds: WaitingRounds) -> dict[int, StoredRound]:
    """Return those of a table's rounds that are kept with their session, and can be read."""
    found = {}
    for kept in rounds_of(store, rounds.sid, rounds.at.game):
        try:
            stored = StoredRound.unpacked(kept.data)
        except UNREADABLE as error:
            log.warning("a student's round could not be read: %s", type(error).__name__)
            continue
        if stored.table == rounds.at.table:
            found[stored.table_round or kept.number] = stored
    return found


def judged_round(slug: str, stored: StoredRound) -> JudgedRound | None:
    """Return what came of a round; None where it cannot be played again.

    Args:
        slug: the table's.
        stored: the round as its table has kept it.
    """
    try:
        advisor = advisor_at(slug)
        return _judged(GAMES[slug], advisor, stored) if advisor else None
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
    return line(redacted(with_shuffle_orders(record, replayed), game.seen(replayed.last.state)))
