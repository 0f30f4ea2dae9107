"""A class at the tables: students who play the best they can, but for what they get wrong."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, groupby
from typing import Final

import msgspec
from web.storage.rounds import NewRound, rows_with, session_place
from web.tables.stored_round import StoredRound

from cardgames import GAMES
from cardgames.advice import Advisor, Situation
from cardgames.cards import FULL_DECK
from cardgames.game import AnyGame
from cardgames.games.twentyone import BLACKJACK
from cardgames.odds import odds
from cardgames.records.record import Record
from cardgames.table import Phase, Table
from tests.support.classroom import Room
from web.classroom.class_store import ClassStore
from web.classroom.insight import InsightStore, TableKey
from web.classroom.jobs import judge_part
from web.classroom.state import EXTENSION
from web.sessions import sessions_of
from web.storage.store import Store

STRONG: Final = "789TJQKA"
"""The ranks of the upcards against which one hits a stiff hand."""

Habit = Callable[[Situation], str]
"""What a student does in a situation; nothing where they do what is best."""


def advisor(game: AnyGame) -> Advisor:
    assert game.advisor
    return game.advisor


def best_play(_: Situation) -> str:
    """Have no habit."""
    return ""


def is_stiff(one: Situation) -> bool:
    return not one.soft and 12 <= one.total <= 16


HABITS: Final[dict[str, Habit]] = {
    "hits-hard-17": lambda one: "hit" if one.total >= 17 and not one.soft else "",
    "stops-strong": lambda one: "stay" if is_stiff(one) and one.upcard[0] in STRONG else "",
    "never-hits-soft-17": lambda one: "stay" if one.soft and one.total <= 17 else "",
    "stops-safe": lambda one: "stay" if not one.soft and one.total < 12 else "",
    "everything": lambda one: "stay" if is_stiff(one) else "",
}


class Student:
    """Plays Blackjack with a habit or none, and sums up what that costs, by the odds alone."""

    def __init__(self, habit: str = "") -> None:
        self.habit, self.lost, self.times, self.decisions = habit, 0.0, 0, 0
        self.against: set[bool] = set()
        """Whether the habit has cost something against a strong upcard, and against others."""

    def __call__(self, situation: Situation) -> str:
        self.decisions += 1
        chosen = HABITS[self.habit](situation) if self.habit else ""
        if chosen:
            hand, upcard = situation.hand, situation.upcard
            # At Blackjack every round has a deck of its own.
            found = odds(BLACKJACK, hand, upcard, {*FULL_DECK} - {*hand, upcard})
            price = max(found.hit.ev, found.stay.ev) - getattr(found, chosen).ev
            if price > 1e-12:
                self.lost += price
                self.times += 1
                self.against.add(situation.upcard[0] in STRONG)
        return chosen


def points(hand: Iterable[str]) -> str:
    """Return a hand by what its cards count, the ace first: "A7", "6T"."""
    counted = ("T" if card[0] in "TJQK" else card[0] for card in hand)
    return "".join(sorted(counted, key="A23456789T".index))


def salts_for(slug: str, hand: str, upcard: str) -> Iterator[str]:
    """Yield salts whose first deal gives a hand against an upcard."""
    game = GAMES[slug]
    for number in count():
        salt = f"{number:032x}"
        table = Table(game).play("deal", {}, partial(str, salt)).table
        if table.phase is not Phase.PLAYING:
            continue
        dealt = advisor(game).situation(table.state)
        if points(dealt.hand) == hand and points([dealt.upcard]) == upcard:
            yield salt


def played(slug: str, salt: str, habit: Habit = best_play) -> Record:
    """Return a round from a fresh table, as a student plays it."""
    game = GAMES[slug]
    table, records = Table(game).play("deal", {}, lambda: salt)
    while not records:
        chosen = habit(advisor(game).situation(table.state))
        move = chosen or advisor(game).odds(table.state).best
        table, records = table.play(move, {}, lambda: salt)
    return records[0]


def insight_store(room: Room) -> InsightStore:
    store: ClassStore = room.app.extensions[EXTENSION]
    return store.insight


def packed_round(record: Record, at: float = 0) -> bytes:
    """Return a round as a table keeps it, finished at a time; by default now."""
    stored = StoredRound.of(record, GAMES[record.game])
    return (msgspec.structs.replace(stored, at=int(at)) if at else stored).packed()


def put_by(room: Room, student: int, *records: Record, at: float = 0) -> None:
    """Let rounds of a student wait, as the moves that ended them would."""
    for game, played in groupby(records, lambda record: record.game):
        table = TableKey(room.code, student, game, secrets.token_bytes(4))
        rounds = [packed_round(record, at) for record in played]
        keep_rounds(sessions_of(room.app).store, table, rounds)


def keep_rounds(store: Store, table: TableKey, rounds: Sequence[bytes]) -> None:
    """Keep the first rounds of a table with a new session, and let them wait."""
    sid, numbered = secrets.token_hex(16), enumerate(rounds, 1)
    until = InsightStore(store).note_rounds(table, sid, range(1, len(rounds) + 1))
    new = [NewRound(table.game, at_table(data, table.table, number)) for number, data in numbered]
    put = rows_with(store, sid, {}, new).put
    assert store.write(session_place(sid), put, {}, expires=int(until) + 3_600, before=until)


def at_table(data: bytes, table: bytes, number: int) -> bytes:
    """Return a round with its table and number; what is none stays as it is."""
    try:
        stored = StoredRound.unpacked(data)
    except msgspec.MsgspecError:
        return data
    return stored.at_table(table, number).packed()


def judge_all(room: Room) -> None:
    """Do what the process beside the server does."""
    while judge_part(sessions_of(room.app).store):
        pass
