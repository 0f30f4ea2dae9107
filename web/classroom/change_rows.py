"""Which rows a change of a class writes, and by which rows its students are found."""

from typing import Final

import msgspec

from web.classroom.insight_store import play_key
from web.classroom.model import Change, Presence, Student, pack, unpack
from web.classroom.nicknames import name_key
from web.classroom.rows import ClassRows, place_of, student_key
from web.classroom.shown_store import ShownRows
from web.classroom.strategies import ChartStore
from web.classroom.tournaments import DEALS_PLAYED, TournamentStore
from web.storage.store import Read, Store

MAX_FINISHED: Final = 200
"""Maximum number of finished rounds that are kept of a class: the newest."""

CLASS: Final = "class"
CLAIMS: Final = "claims"
SEEN: Final = "seen"
ROSTER: Final = "roster"

Rows = dict[str, bytes | None]
"""Rows that are to be written: None for one that goes."""


class ChangeRows(ClassRows):
    """The rows of a class that a change of it writes."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        super().__init__(store)
        self.charts = ChartStore(store)
        self.tournaments = TournamentStore(store)
        self.shown = ShownRows(store)

    def _students_after(self, code: str, read: Read, change: Change) -> Rows | None:
        """Return the rows of students after a change; None if a nickname is taken.

        Args:
            code: the class's.
            read: the students' rows.
            change: what is to be written.
        """
        before, after, put = Rows(), Rows(), Rows()
        for member in (*change.students, *change.gone):
            key = student_key(member.number)
            put[key] = None
            before |= found_by(member.number, unpack(read[key].data, Student))
        for member in change.students:
            put[student_key(member.number)] = pack(member.student)
            after |= found_by(member.number, member.student)
        changed = {way for way in {*before, *after} if before.get(way) != after.get(way)}
        kept = self._store.read(place_of(code), SEEN, *changed)
        for way in changed:
            owner, new = kept[way].data, after.get(way)
            if new and way.startswith("name/") and owner not in (b"", new, before.get(way)):
                return None
            if new or owner == before.get(way):  # else the browser is another student's by now
                put[way] = new
        if gone := {member.number for member in change.gone}:
            for store in (self.charts, self.tournaments, self.shown):
                put |= dict.fromkeys(store.keys_of(code, gone))
            put |= dict.fromkeys(map(real_key, gone)) | dict.fromkeys(map(play_key, gone))
            left = {who: at for who, at in seen_in(kept).items() if who not in gone}
            put[SEEN] = msgspec.msgpack.encode(left)
        return put

    def _beside(self, code: str, change: Change) -> Rows:
        """Return the rows that a change writes beside the class's head and students."""
        put: Rows = {}
        if change.classroom is not None:
            put[CLASS] = pack(change.classroom)
        if change.round is not None:
            put[CLAIMS] = None
        if change.finished:
            number = change.finished.number
            put[f"round/{number:04}"] = pack(change.finished)
            put[f"round/{number - MAX_FINISHED:04}"] = None
        if change.deals_played is not None:
            put[DEALS_PLAYED] = change.deals_played or None
        if change.forget_names:
            put |= dict.fromkeys((ROSTER, *self._scan(code, "real/")))
        if change.roster is not None:
            put[ROSTER] = msgspec.msgpack.encode(change.roster)
        return put


def found_by(number: int, student: Student) -> Rows:
    """Return the rows by which a student is found: those of the nickname and the browsers."""
    keys = (nickname_key(student), *map(browser_key, student.browsers))
    return dict.fromkeys(keys, b"%d" % number)


def nickname_key(student: Student) -> str:
    """Return the key of the row that says whose a student's nickname is."""
    return f"name/{name_key(student.name)}"


def browser_key(browser: str) -> str:
    """Return the key of the row that says whose a browser is."""
    return f"browser/{browser}"


def real_key(number: int) -> str:
    """Return the key of a real name."""
    return f"real/{number:04}"


def seen_in(read: Read) -> dict[int, Presence]:
    """Return when and where each student was last seen, from a row that was read."""
    data = read[SEEN].data
    return msgspec.msgpack.decode(data, type=dict[int, Presence]) if data else {}
