"""How the students of a class play at the tables: what is kept of it, and which rounds wait.

Of a round nothing is kept but that it was played, whether it was won, and what its decisions have
cost; of a decision that was not the best one, what was decided and the round in which it cost most.
Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.

A round waits where its table keeps it, with its player's session. A hint says that it counts for a
class. It is written before the move that ends the round is kept, and names, of each student and
table, which of that table's rounds are to be judged. What came of them is one row of the class for
each student, with the number of the newest round in it for each table. So a round counts once,
however often and wherever it is judged, and a process that is killed loses none.
"""

import logging
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from cardgames import GAMES
from cardgames.advice import Advisor
from cardgames.cards import Rank
from web.classroom.rows import ClassCounters, ClassRows, number_in_key, place_of, student_key
from web.storage.hints import Hint
from web.storage.store import Put, Read, Row, pack, unpack

MAX_WAITING: Final = 200
"""Maximum number of rounds of a table that wait: its session keeps no more."""

MAX_DAYS: Final = 7
"""Maximum number of days of which it is known how a student has played."""

EARLIER: Final = ""
"""The key of what is further back: it comes before all days."""

JUDGED: Final = "judged"
"""The key of a row that is written with each student's play."""

log = logging.getLogger("cardgames.classroom")

Count = Annotated[int, msgspec.Meta(ge=0)]
Cost = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Total = Annotated[int, msgspec.Meta(ge=2, le=21)]


class Mistake(msgspec.Struct, frozen=True, array_like=True):
    """Something that a student has decided, and that was not the best."""

    chosen: Literal["hit", "stay", "deal"]
    total: Total
    soft: bool
    upcard: Rank
    times: Count
    cost: Cost
    """Of all these times together."""

    worst: Cost
    """Of the time that has cost most."""

    record: str
    """The round in which it has cost most, as its player knows it."""

    step: Count
    """The step of that round at which it was to be decided."""

    @property
    def what(self) -> tuple[str, int, bool, Rank]:
        """What was decided, and with which hand against which card."""
        return self.chosen, self.total, self.soft, self.upcard


class TablePlay(msgspec.Struct, frozen=True, array_like=True):
    """How a student has played at one table since joining."""

    rounds: Count = 0
    won: Count = 0
    decisions: Count = 0
    cost: Cost = 0.0
    squares: Cost = 0.0
    """The sum of the squares of what each decision has cost."""

    mistakes: tuple[Mistake, ...] = ()

    def plus(self, other: "TablePlay") -> "TablePlay":
        """Return both together."""
        return TablePlay(
            rounds=self.rounds + other.rounds,
            won=self.won + other.won,
            decisions=self.decisions + other.decisions,
            cost=self.cost + other.cost,
            squares=self.squares + other.squares,
            mistakes=merged((*self.mistakes, *other.mistakes)),
        )

    @property
    def is_sound(self) -> bool:
        """Whether the sums can be those of some rounds."""
        costs = (self.cost, self.squares, *(mistake.cost for mistake in self.mistakes))
        return self.won <= self.rounds and all(map(math.isfinite, costs))


Play = dict[str, TablePlay]
"""How a student has played, by the tables' slugs."""

Days = dict[str, Play]
"""The same by the day, as in 2026-11-23; before all of them EARLIER."""


def of_round(costs: Sequence[float], mistakes: Iterable[Mistake], *, won: bool) -> TablePlay:
    """Return what came of one round."""
    squares = sum(cost * cost for cost in costs)
    return TablePlay(1, int(won), len(costs), sum(costs), squares, merged(mistakes))


def with_round(days: Days, day: str, slug: str, found: TablePlay) -> Days:
    """Return days with one round more; those before the newest are put together."""
    play = days.get(day, {})
    after = days | {day: play | {slug: play.get(slug, TablePlay()).plus(found)}}
    newest = sorted(after.keys() - {EARLIER})[-MAX_DAYS:]
    earlier = {day: play for day, play in after.items() if day not in newest}
    together = {EARLIER: play_in(earlier)} if earlier else {}
    return together | {day: after[day] for day in newest}


def play_in(days: Days, since: str = EARLIER) -> Play:
    """Return how a student has played since a day, together; by default on all days."""
    total: Play = {}
    for day in sorted(day for day in days if day >= since):
        for slug, play in days[day].items():
            total[slug] = total[slug].plus(play) if slug in total else play
    return total


def merged(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return mistakes with those that are alike put together."""
    found: dict[tuple[str, int, bool, Rank], Mistake] = {}
    for mistake in mistakes:
        known = found.get(mistake.what)
        if known is None:
            found[mistake.what] = mistake
            continue
        worse = mistake if mistake.worst > known.worst else known
        found[mistake.what] = msgspec.structs.replace(
            worse, times=known.times + mistake.times, cost=known.cost + mistake.cost
        )
    return tuple(found.values())


def total_of(play: Play) -> tuple[int, int]:
    """Return how many rounds a student has played at all tables, and how many of them won."""
    return sum(at.rounds for at in play.values()), sum(at.won for at in play.values())


def advisor_at(slug: str) -> Advisor | None:
    """Return the advisor of a table; None where there is none, or no such table."""
    return GAMES[slug].advisor if slug in GAMES else None


class TableKey(NamedTuple):
    """A student's table, as hints name it."""

    code: str
    student: int
    game: str
    """The game's slug."""

    table: bytes
    """The table's id, which tells it from all others."""

    @property
    def key(self) -> str:
        """The hint's key."""
        return f"{self.code}/{self.student:04}/{self.game}/{self.table.hex()}"

    @classmethod
    def of(cls, key: str) -> "TableKey":
        """Read a hint's key."""
        code, student, game, table = key.split("/")
        return cls(code, int(student), game, bytes.fromhex(table))


class WaitingRounds(NamedTuple):
    """Rounds of a student's table that wait to be judged."""

    at: TableKey
    sid: str
    """The id of the session that keeps them."""

    numbers: tuple[int, ...]
    """Their numbers at that table, ascending."""

    hint: Hint


class _Numbers(NamedTuple):
    sid: str
    numbers: tuple[int, ...]


class StoredPlay(NamedTuple):
    """What is kept of how a student has played."""

    student: int
    revision: int
    """The row's; 0 where nothing is kept yet."""

    days: Days
    judged: Mapping[bytes, int] = {}
    """Of each table's id the number of the newest round that is in it."""

    @property
    def play(self) -> Play:
        """How the student has played on all days."""
        return play_in(self.days)


class InsightStore(ClassRows):
    """How students have played, as rows of their class, and hints of what is to be judged."""

    hints_at = "hints/insight"

    def note_rounds(self, at: TableKey, sid: str, numbers: Iterable[int]) -> float:
        """Write the hint that rounds of a table are to be judged, before their session keeps them.

        Return until when they must be kept, or not at all, by the store's time.
        """

        def change(data: bytes) -> bytes:
            known = unpack(data, _Numbers)
            every = {*(known.numbers if known else ()), *numbers}
            return pack(_Numbers(sid, tuple(sorted(every)[-MAX_WAITING:])))

        return self.hints.note(at.key, change)

    def waiting(self, code: str = "") -> list[WaitingRounds]:
        """Return what waits, in a class or in all, the tables that have waited longest first."""
        hints = self.hints.all(f"{code}/" if code else "")
        found = ((hint, unpack(hint.data, _Numbers)) for hint in hints)
        return [WaitingRounds(TableKey.of(hint.key), *kept, hint) for hint, kept in found if kept]

    def count_waiting(self, code: str) -> int:
        """Return how many rounds of a class wait."""
        return sum(len(table.numbers) for table in self.waiting(code))

    def wait_no_more(self, rounds: WaitingRounds, left: Sequence[int] = ()) -> None:
        """Let only some rounds of a table wait on; unless others have come meanwhile."""
        data = _Numbers(rounds.sid, tuple(left))
        self.hints.replace(rounds.hint, pack(data) if left else None)

    def forget_waiting(self, code: str, students: Collection[int] | None = None) -> None:
        """Let nothing of some students of a class wait any more; by default, of all."""
        for rounds in self.waiting(code):
            if students is None or rounds.at.student in students:
                self.wait_no_more(rounds)

    def plays(self, code: str) -> tuple[StoredPlay, ...]:
        """Return how the students of a class have played, in the order of their numbers."""
        rows = self._store.scan(place_of(code), "play/").rows
        return tuple(_unpacked(number_in_key(key), row) for key, row in rows.items())

    def version(self, code: str) -> tuple[int, ...]:
        """Return what changes whenever a student has played more."""
        return self._revisions(code, JUDGED)

    def play_of(self, code: str, student: int) -> StoredPlay:
        """Return how a student has played."""
        key = play_key(student)
        return _unpacked(student, self._store.read(place_of(code), key)[key])

    def is_student(self, code: str, number: int) -> bool:
        """Return whether a class is there, and has a student."""
        head, read = self._read(code, student_key(number))
        return head is not None and student_key(number) in read.rows

    def save_play(self, code: str, play: StoredPlay) -> bool:
        """Keep how a student has played, unless they are gone or somebody else has written."""
        key, owner = play_key(play.student), student_key(play.student)
        data = pack((play.days, play.judged))

        def rows(_: ClassCounters, read: Read) -> Put | None:
            is_theirs = read[owner].revision and read[key].revision == play.revision
            return {key: data, JUDGED: b""} if is_theirs else None

        return self._update(code, (key, owner), rows)


def play_key(student: int) -> str:
    """Return the key of how a student has played."""
    return f"play/{student:04}"


def _unpacked(student: int, row: Row) -> StoredPlay:
    """Return how a student has played; nothing where that cannot be read."""
    kept = unpack(row.data, tuple[Days, dict[bytes, int]])
    if row.data and kept is None:
        log.warning("how a student plays could not be read")
    days, judged = kept or ({}, {})
    sound = {
        day: {slug: one for slug, one in play.items() if advisor_at(slug) and one.is_sound}
        for day, play in days.items()
    }
    return StoredPlay(student, row.revision, sound, judged)
