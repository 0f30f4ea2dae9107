"""What is kept of tournaments: what each student has played, and what decisions cost.

An entry is all that a student has played of a tournament, so a move is one compare-and-set of one
row: of two browsers of a student, or two presses, one is first and the other is refused. Entries
go with their student, costs with the class.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from web.classroom.rows import HEAD, ClassCounters, ClassRows, number_in_key, place_of, student_key
from web.storage.store import Put, Read

DEALS_PLAYED: Final = "deals-played"
"""The key of how many deals the browsers of forgotten students have seen."""


class StoredEntry(NamedTuple):
    """What a student has played of a tournament, as it is kept."""

    tournament: int
    student: int
    data: bytes


class TournamentStore(ClassRows):
    """Entries of tournaments and what their decisions cost, as rows of their class."""

    def entries(self, code: str, tournament: int) -> Mapping[int, bytes]:
        """Return what each student has played of a tournament, by their numbers."""
        rows = self._scan(code, f"entry/{tournament:02}/")
        return {number_in_key(key): data for key, data in rows.items()}

    def entries_of(self, code: str, student: int, tournaments: Iterable[int]) -> dict[int, bytes]:
        """Return what a student has played of some tournaments, by their numbers."""
        keys = {_entry_key(number, student): number for number in tournaments}
        rows = self._store.read(place_of(code), *keys).rows
        return {number: rows[key].data for key, number in keys.items() if key in rows}

    def save_entry(self, code: str, entry: StoredEntry, seen: bytes, *, finished: bool) -> bool:
        """Write what a student has played of a tournament, if it is as it was read.

        Args:
            code: the class's.
            entry: what is written.
            seen: what was read; nothing for a student who begins.
            finished: whether all of it is played with this: then ``ClassCounters.students`` is
                raised, so that the big screen and dashboards look again.

        Returns:
            whether it was written: not where somebody else has written meanwhile, or the student is
            forgotten.
        """
        key, owner = _entry_key(entry.tournament, entry.student), student_key(entry.student)

        def rows(head: ClassCounters, read: Read) -> Put | None:
            if not read[owner].revision or read[key].data != seen:
                return None
            put = {key: entry.data}
            if not seen:  # a change that forgets the student meanwhile must be refused
                put[owner] = read[owner].data
            if finished:
                put[HEAD] = head.packed(students=head.students + 1)
            return put

        return self._update(code, (key, owner), rows)

    def keys_of(self, code: str, students: Collection[int]) -> list[str]:
        """Return the rows that go with some students."""
        return [key for key in self._scan(code, "entry/") if number_in_key(key) in students]

    def deals_played(self, code: str) -> bytes:
        """Return what is kept of the browsers of forgotten students; ``Change`` writes it."""
        return self._store.read(place_of(code), DEALS_PLAYED)[DEALS_PLAYED].data

    def costs(self, code: str, tournament: int) -> bytes:
        """Return what decisions cost at the deals of a tournament; nothing before it is known."""
        key = _cost_key(tournament)
        return self._store.read(place_of(code), key)[key].data

    def keep_costs(self, code: str, tournament: int, data: bytes) -> None:
        """Keep that, if the class is there still; ``ClassCounters.students`` is raised."""

        def rows(head: ClassCounters, _: Read) -> Put:
            return {HEAD: head.packed(students=head.students + 1), _cost_key(tournament): data}

        self._update(code, (), rows)


def _entry_key(tournament: int, student: int) -> str:
    return f"entry/{tournament:02}/{student:04}"


def _cost_key(tournament: int) -> str:
    return f"cost/tournament/{tournament:02}"
