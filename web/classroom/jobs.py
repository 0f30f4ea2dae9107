"""Work for classes in the background process (:mod:`web.background`).

Two things take long: judging students' rounds at the tables, and the cost of each decision in a
tournament. Each is asked for in a request, before or with what it is about, and found again by a
hint whatever is killed meanwhile.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from cardgames import GAMES
from cardgames.advice import Advisor, Decision
from cardgames.game import AnyGame
from cardgames.records.line import line
from cardgames.records.record import Record
from cardgames.records.replay import Replay, redacted, replay, with_shuffle_orders
from cardgames.shared_deal import deal_costs
from cardgames.table import Phase
from web.background import MakeTask, Task
from web.classroom.answers import day_of
from web.classroom.class_store import ClassStore
from web.classroom.insight import (
    InsightStore,
    Mistake,
    TableKey,
    TablePlay,
    WaitingRounds,
    advisor_at,
    of_round,
    with_round,
)
from web.classroom.rows import UnknownFormat
from web.classroom.state import NoClass, class_store, load_class, session_notes
from web.history.costs import decisions_of, review
from web.sessions import current_session
from web.settings import Settings
from web.storage.rounds import rounds_of
from web.storage.store import NEVER, Store, StoreUnavailable
from web.tables.listeners import RoundsOver
from web.tables.location import TableLocation
from web.tables.rows import UNREADABLE
from web.tables.stored_round import StoredRound

PART: Final = 1.0  # number of seconds for which a task works before the others have their turn
log = logging.getLogger("cardgames.classroom")


# ---- Students' rounds at the tables --------------------------------------------------------------


def note_rounds(over: RoundsOver) -> float:
    """Write hints of the rounds that a move ends, in each class that the player is a student of.

    Those at deal links are not the class's, nor are those from a deck of the player's own. Return
    until when the move must be kept, or not at all, by the store's time; raise StoreUnavailable
    where they cannot be written.
    """
    codes, game, slot = session_notes().joined, over.location.game, over.slot
    if not codes or type(over.location) is not TableLocation or not game.advisor:
        return NEVER
    first = slot.table.finished - len(over.records) + 1
    numbered = enumerate(over.records, first)
    numbers = [number for number, record in numbered if not _is_own_deck(game, record)]
    until, sid = [NEVER], current_session().sid
    for code, student in filter(None, map(_student_in, codes if numbers else ())):
        table = TableKey(code, student, game.info.slug, slot.id)
        until.append(class_store().insight.note_rounds(table, sid, numbers))
    return min(until)


def _is_own_deck(game: AnyGame, record: Record) -> bool:
    """Return whether a round was played from a deck that the player has sent."""
    return record.stacked or any(record.actions[0][name] for name in game.deals.decks)


def _student_in(code: str) -> tuple[str, int] | None:
    """Return the code of a class and the browser's student, if what they do is counted."""
    try:
        state = load_class(code)
    except (NoClass, UnknownFormat):
        return None
    if state.classroom.closed:
        return None
    key, playing = state.own_key, state.playing
    found = (one.number for one in playing if key in one.student.browsers)
    return next(((state.code, number) for number in found), None)


def judge_part(store: Store) -> bool:
    """Judge some of the rounds that wait, for a second or so; return whether anything was done."""
    insight, until, done = InsightStore(store), time.monotonic() + PART, False
    for rounds in insight.waiting():
        done |= _judge_table(insight, rounds, _kept_rounds(store, rounds), until)
        if time.monotonic() > until:
            break
    return done


def _judge_table(
    store: InsightStore, rounds: WaitingRounds, kept: Mapping[int, StoredRound], until: float
) -> bool:
    """Judge the rounds of one table that wait; return whether anything has changed.

    One that is not kept with the session was not played, or is about to be: that must be certain.
    """
    code, student, slug, table = rounds.at
    if not store.is_student(code, student):
        store.wait_no_more(rounds)
        return True
    before = store.play_of(code, student)
    days, last = before.days, before.judged.get(table, 0)
    judged = last
    for number in rounds.numbers:
        if number > last and number in kept:
            if found := judged_round(slug, kept[number]):
                days = with_round(days, day_of(kept[number].at), slug, found)
            judged = number
            if time.monotonic() > until:
                break
    left = [number for number in rounds.numbers if number > judged]
    if rounds.hint.is_over:
        left = [number for number in left if number in kept]
    if len(left) == len(rounds.numbers):
        return False

    after = before._replace(days=days, judged={**before.judged, table: judged})
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


def judged_round(slug: str, stored: StoredRound) -> TablePlay | None:
    """Return what came of a round at a table; None where it cannot be played again."""
    try:
        advisor = advisor_at(slug)
        return _judged(GAMES[slug], advisor, stored) if advisor else None
    except UNREADABLE as error:  # and InvalidRecord, which is a ValueError
        log.warning("a student's round could not be judged: %s", type(error).__name__)
        return None


def _judged(game: AnyGame, advisor: Advisor, stored: StoredRound) -> TablePlay:
    record = stored.record(game)
    replayed = replay(record)
    # What the coach has said of the decisions counts, and is not asked again.
    if stored.costs is not None and len(stored.costs) == record.steps - 1:
        decisions = tuple(decisions_of(advisor, stored.costs, record, replayed))
    else:
        decisions = review(advisor, record, replayed)
    costs, won = [decision.cost for decision in decisions], advisor.points[record.result] > 0
    mistakes = _mistakes(advisor, decisions, replayed, record) if any(costs) else ()
    return of_round(costs, mistakes, won=won)


def _mistakes(
    advisor: Advisor, decisions: tuple[Decision, ...], replayed: Replay, record: Record
) -> Iterator[Mistake]:
    """Yield the decisions of a round that were not the best ones."""
    steps = [step for step, one in enumerate(replayed.tables[:-1]) if one.phase is Phase.PLAYING]
    public = _public(record, replayed)
    for step, one in zip(steps, decisions, strict=True):
        if one.cost:
            situation = advisor.situation(replayed.tables[step].state)
            yield Mistake(
                chosen=one.chosen,  # type: ignore[arg-type]  # it is validated when it is read
                total=situation.total,
                soft=situation.soft,
                upcard=advisor.upcard_rank(situation.upcard),
                times=1,
                cost=one.cost,
                worst=one.cost,
                record=public,
                step=step,
            )


def _public(record: Record, replayed: Replay) -> str:
    """Return a round as it may be looked at.

    Of a deck that is played on with, it has what its player has seen; the next round's cards are
    nobody's yet.
    """
    game = GAMES[record.game]
    if game.carry_type is None:
        return line(record)
    seen = game.seen(replayed.last.state)
    return line(redacted(with_shuffle_orders(record, replayed), seen))


# ---- Tournaments ---------------------------------------------------------------------------------


def compute_costs(store: ClassStore) -> bool:
    """Compute the costs of the tournament that has waited longest; return False for none."""
    for hint in store.tournaments.hints.all():
        code, number = hint.key.split("/")
        try:
            _compute(store, code, int(number))
        except StoreUnavailable:
            raise
        except Exception:  # one that cannot be computed must not hold up all others
            log.exception("costs of tournament %s", hint.key)
        store.tournaments.hints.replace(hint, None)
        return True
    return False


def _compute(store: ClassStore, code: str, number: int) -> None:
    """Compute the cost of each decision in a tournament, if it is there still."""
    stored = store.load(code)
    for one in stored.classroom.tournaments if stored else ():
        if one.number == number and (advisor := one.game.advisor):
            deals = (one.deal(deal).shared for deal in range(1, one.deals + 1))
            costs = tuple(deal_costs(deal, advisor) for deal in deals)
            store.tournaments.keep_costs(code, number, costs)


# ---- The tasks -----------------------------------------------------------------------------------


def _made(make: Callable[[Store], Task], settings: Settings, store: Store) -> Task:
    """Return a task, which has nothing to do where there are no classes."""
    return make(store) if settings.classes != "off" else lambda: False


def _judge(store: Store) -> Task:
    return partial(judge_part, store)


def _cost_finder(store: Store) -> Task:
    return partial(compute_costs, ClassStore(store))


# Of functions that have names: where a process is spawned and not forked, they are sent to it.
make_judge: Final = partial(_made, _judge)
make_costs: Final = partial(_made, _cost_finder)
# What make the tasks of the background process.
MAKE_TASKS: Final[tuple[MakeTask, ...]] = (make_judge, make_costs)
