"""A class at the tables: students who play the best they can, but for what they get wrong."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count

import msgspec

from cardgames import GAMES
from cardgames.advice import Advisor, Situation
from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.table import Phase, Table
from tests.support.classroom import Room
from web.classroom.judging import Waiting, judge_part
from web.classroom.state import EXTENSION
from web.classroom.storage.insight import InsightStore
from web.classroom.storage.protocol import ClassStore
from web.tables.stored_round import StoredRound

Habit = Callable[[Situation], str]
"""What a student does in a situation; nothing where they do what is best."""


def advisor(game: AnyGame) -> Advisor:
    assert game.advisor
    return game.advisor


def best_play(_: Situation) -> str:
    """Have no habit."""
    return ""


def points(hand: Iterable[str]) -> str:
    """Return a hand by what its cards count, the ace first: "A7", "6T"."""
    counted = ("T" if card[0] in "TJQK" else card[0] for card in hand)
    return "".join(sorted(counted, key="A23456789T".index))


def salts_for(slug: str, hand: str, upcard: str) -> Iterator[str]:
    """Yield salts whose first deal gives a hand against an upcard."""
    game = GAMES[slug]
    for number in count():
        salt = f"{number:032x}"
        table = Table(game).play("deal", {}, lambda salt=salt: salt).table
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


def waiting_bytes(record: Record) -> bytes:
    """Return a round as it waits to be judged."""
    stored = StoredRound.of(record, GAMES[record.game])
    return msgspec.msgpack.encode(Waiting(record.game, stored))


def put_by(room: Room, student: int, *records: Record) -> None:
    """Let rounds of a student wait, as the moves that ended them would."""
    insight_store(room).add_rounds(room.code, student, [waiting_bytes(one) for one in records])


def judge_all(room: Room) -> None:
    """Do what the process beside the server does."""
    while judge_part(insight_store(room)):
        pass
