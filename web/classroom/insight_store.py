"""What *insight* keeps: which rounds wait to be judged, and what came of the others.

A round waits where its table keeps it, with its player's session. That it counts for a class is
said by a hint, written before the move that ends it is kept: of each student and table, which of
that table's rounds are to be judged. What came of them is one row of the class for each student,
with the number of the newest round in it for each table. So a round counts once, however often and
wherever it is judged, and a process that is killed loses none.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from web.classroom.insight import Play, advisor_at
from web.classroom.rows import ClassCounters, ClassRows, number_in_key, place_of, student_key
from web.storage.hints import Hint, Hints
from web.storage.store import Put, Read, Row, Store, pack, unpack

MAX_WAITING: Final = 200
"""Maximum number of a table's rounds that wait: its session keeps no more."""

JUDGED: Final = "judged"
"""The key of a row whose revision changes with each student's play that is kept."""

log = logging.getLogger("cardgames.classroom")


class TableKey(NamedTuple):
    """A student's table, as hints name it."""

    code: str
    student: int
    game: str
    """The slug."""

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

    play: Play
    judged: Mapping[bytes, int] = {}
    """Of each table's id the number of the newest round that is in it."""


class InsightStore(ClassRows):
    """How students have played, as rows of their class, and hints of what is to be judged."""

    def __init__(self, store: Store) -> None:
        """Keep it in a store."""
        super().__init__(store)
        self._hints = Hints(store, "hints/insight")

    def note_rounds(self, at: TableKey, sid: str, numbers: Iterable[int]) -> float:
        """Write the hint that rounds of a student's table are to be judged, before they are kept.

        Args:
            at: the table.
            sid: the id of the session that will keep them.
            numbers: their numbers at that table.

        Returns:
            until when they must be kept, or not at all, by the store's time.
        """

        def change(data: bytes) -> bytes:
            known = unpack(data, _Numbers)
            every = {*(known.numbers if known else ()), *numbers}
            return pack(_Numbers(sid, tuple(sorted(every)[-MAX_WAITING:])))

        return self._hints.note(at.key, change)

    def waiting(self, code: str = "") -> list[WaitingRounds]:
        """Return what waits, in a class or in all, the tables that have waited longest first."""
        hints = self._hints.all(f"{code}/" if code else "")
        found = ((hint, unpack(hint.data, _Numbers)) for hint in hints)
        return [WaitingRounds(TableKey.of(hint.key), *kept, hint) for hint, kept in found if kept]

    def count_waiting(self, code: str) -> int:
        """Return how many rounds of a class wait."""
        return sum(len(table.numbers) for table in self.waiting(code))

    def wait_no_more(self, rounds: WaitingRounds, left: Sequence[int] = ()) -> None:
        """Let only some rounds of a table wait on; unless others have come meanwhile."""
        data = _Numbers(rounds.sid, tuple(left))
        self._hints.replace(rounds.hint, pack(data) if left else None)

    def forget_waiting(self, code: str, students: Collection[int] | None = None) -> None:
        """Let nothing of some students of a class wait any more; by default, of all."""
        for rounds in self.waiting(code):
            if students is None or rounds.at.student in students:
                self.wait_no_more(rounds)

    def plays(self, code: str) -> tuple[StoredPlay, ...]:
        """Return how the students of a class have played, in the order of their numbers."""
        rows = self._store.scan(place_of(code), "play/").rows
        return tuple(_unpacked(number_in_key(key), row) for key, row in rows.items())

    def version(self, code: str) -> int:
        """Return what changes whenever a student has played more."""
        return self._store.read(place_of(code), JUDGED)[JUDGED].revision

    def play_of(self, code: str, student: int) -> StoredPlay:
        """Return how a student has played."""
        key = play_key(student)
        return _unpacked(student, self._store.read(place_of(code), key)[key])

    def is_student(self, code: str, number: int) -> bool:
        """Return whether a class is there, and has a student."""
        head, read = self._read(code, student_key(number))
        return head is not None and student_key(number) in read.rows

    def save_play(self, code: str, play: StoredPlay) -> bool:
        """Keep how a student has played, if they are a student still and nobody else has written.

        Args:
            code: the class's.
            play: what is to be kept, with the revision that was read.
        """
        key, owner = play_key(play.student), student_key(play.student)
        data = pack((play.play, play.judged))

        def rows(_: ClassCounters, read: Read) -> Put | None:
            is_theirs = read[owner].revision and read[key].revision == play.revision
            return {key: data, JUDGED: b""} if is_theirs else None

        return self._update(code, (key, owner), rows)


def play_key(student: int) -> str:
    """Return the key of how a student has played."""
    return f"play/{student:04}"


def _unpacked(student: int, row: Row) -> StoredPlay:
    """Return how a student has played; nothing where that cannot be read."""
    kept = unpack(row.data, tuple[Play, dict[bytes, int]])
    if row.data and kept is None:
        log.warning("how a student plays could not be read")
    play, judged = kept or ({}, {})
    sound = {slug: one for slug, one in play.items() if advisor_at(slug) and one.is_sound}
    return StoredPlay(student, row.revision, sound, judged)
