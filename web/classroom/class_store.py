"""Classes: who joins, what is changed, claimed and marked, as rows of one place (:mod:`.rows`).

An instructor's move is decided on what was read, and written only if that is still so. Joining,
claiming and marking have writes of their own: where somebody else was faster they are decided
again, so sixty phones can do so at once.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Final

import msgspec

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web.classroom import model
from web.classroom.codes import OneTimeLinks, PasswordGuesses
from web.classroom.insight import InsightStore, play_key
from web.classroom.nicknames import name_key
from web.classroom.roster import Person
from web.classroom.rows import (
    CLAIMS,
    FORMAT,
    HEAD,
    ROSTER,
    ClassCounters,
    ClassRows,
    clock_numbers,
    head_in,
    number_in_key,
    place_of,
    round_key,
    student_key,
)
from web.classroom.tournaments import TournamentStore
from web.classroom.votes import VoteStore
from web.storage.store import Put, Read, Row, Store, TooManyConflicts, pack

MAX_FINISHED: Final = 200
"""Maximum number of finished rounds that are kept of a class: the newest ones."""

_CLASS: Final = "class"
_SEEN: Final = "seen"
_DESKS: Final = "desks"

Passed = dict[str, tuple[int, ...]]
"""The numbers of requirements that pass, by the sheet's slug."""

Rows = dict[str, bytes | None]
"""Rows that are to be written: None for one that goes."""


class ShownRows(ClassRows):
    """What students have shown of their own classes, as rows of their class."""

    def show(self, code: str, student: int, slug: str, passed: Iterable[int]) -> bool:
        """Replace what a student's classes pass of a sheet; return False if the student is gone."""
        key, owner = shown_key(student), student_key(student)

        def rows(_: ClassCounters, read: Read) -> Put | None:
            if not read[owner].revision:
                return None
            return {key: pack((read.value(key, Passed) or {}) | {slug: tuple(passed)})}

        return self._update(code, (key, owner), rows)

    def of(self, code: str, student: int) -> Passed:
        """Return what a student has shown."""
        return self._value(code, shown_key(student), Passed) or {}

    def all(self, code: str) -> dict[int, Passed]:
        """Return what the students of a class have shown, by their numbers."""
        found = self._store.scan(place_of(code), "shown/").values("shown/", Passed)
        return {int(number): passed for number, passed in found.items()}

    def keys_of(self, _: str, students: Collection[int]) -> list[str]:
        """Return the keys of what some students have shown."""
        return [*map(shown_key, students)]


def shown_key(student: int) -> str:
    """Return the key of what a student has shown."""
    return f"shown/{student:04}"


class ClassStore(ClassRows):
    """The classes of a site.

    Every method raises :class:`~web.storage.store.StoreUnavailable` when the store does not answer.
    """

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        super().__init__(store)
        self.tournaments = TournamentStore(store)
        self.shown = ShownRows(store)
        self.votes = VoteStore(store)
        self.insight = InsightStore(store)
        self.links = OneTimeLinks(store)
        self.passwords = PasswordGuesses(store)

    def create(self, code: str, classroom: model.Classroom, expires: int) -> bool:
        """Keep a new class; return False if its code is taken. Raises StoreFull."""
        put: Rows = {HEAD: pack(ClassCounters(FORMAT, expires)), _CLASS: pack(classroom)}
        if self._read(code)[0]:
            return False
        return self._store.write(place_of(code), put, {HEAD: 0}, expires=expires)

    def load(self, code: str) -> model.StoredClass | None:
        """Return a class that has not ended, and can be read."""
        head, read = self._read(code, _CLASS, CLAIMS)
        classroom = read.value(_CLASS, model.Classroom)
        return model.StoredClass(head, classroom, _claims_in(read)) if head and classroom else None

    def counters(self, code: str) -> ClassCounters | None:
        """Return only the numbers of a class that has not ended."""
        return head_in(self._store.read(place_of(code), HEAD))  # as _read(): phones ask each second

    def commit(self, code: str, seen: ClassCounters, change: model.Change) -> bool:
        """Write a change if the class and its students are as they were read; return whether."""
        versions = {student_key(one.number): one.version for one in change.members}

        def rows(head: ClassCounters, read: Read) -> Put | None:
            as_read = (seen.version, seen.students, seen.claims, seen.stop)
            if (head.version, head.students, head.claims, head.stop) != as_read:
                return None
            if read.now > change.until or 0 in versions.values() or read.seen(versions) != versions:
                return None
            students = self._students_after(code, read, change) if change.members else Rows()
            if students is None:
                return None
            put: Rows = {HEAD: change.head_after(head).packed(), **students, **change.rows}
            return put | {_CLASS: pack(change.classroom)} if change.classroom else put

        ends = change.counters.get("expires", 0)
        written = self._update(code, versions, rows, ends=ends, before=change.until)
        if written and (change.gone or ROSTER in change.rows):
            self.insight.forget_waiting(code, [member.number for member in change.gone])
            self._store.scrub()
        return written

    def extend_expiry(self, code: str, expires: int) -> None:
        """Let a class live until a time at least."""

        def rows(head: ClassCounters, _: Read) -> Put | None:
            return None if head.expires >= expires else {HEAD: head.packed(expires=expires)}

        self._update(code, (), rows, ends=expires)

    def delete(self, code: str) -> None:
        """Forget a class and all that belongs to it."""
        self._store.forget(place_of(code))
        self.insight.forget_waiting(code)
        self._store.scrub()

    def join(self, code: str, seen: ClassCounters, newcomer: model.Newcomer) -> int | model.Refused:
        """Add a student if the class is as it was read, but for other students.

        Return the student's number: the next one, or the browser's if it has joined already.
        """
        student = newcomer.student
        browser, name = _browser_key(student.browsers[0]), _nickname_key(student)

        def decision(head: ClassCounters | None, read: Read) -> tuple[int | model.Refused, Put]:
            if read[browser].revision:
                return int(read[browser].data), {}
            if head is None or head.version != seen.version or read.now > newcomer.until:
                return model.Refused.CHANGED, {}
            if head.members >= newcomer.limit:
                return model.Refused.FULL, {}
            if read[name].revision:
                return model.Refused.TAKEN, {}
            number = head.joined + 1
            after = head.packed(
                joined=number,
                members=head.members + 1,
                students=head.students + 1,
                stop=head.stop if newcomer.stop is None else min(head.stop, newcomer.stop),
            )
            put: Rows = {HEAD: after, student_key(number): pack(student)}
            put |= _found_by(number, student)
            if newcomer.real:
                put[_real_key(number)] = newcomer.real.encode()
            return number, put

        return self._decide(code, (browser, name), decision, before=newcomer.until)

    def students(self, code: str) -> tuple[model.Member, ...]:
        """Return all students, in the order of their numbers."""
        rows = self._store.scan(place_of(code), "student/").rows
        found = (_member_in(key, row) for key, row in rows.items())
        return tuple(sorted(found, key=lambda member: member.number))

    def students_joined(self, code: str, after: int, last: int) -> tuple[model.Member, ...]:
        """Return those students whose numbers lie behind one, up to another."""
        keys = map(student_key, range(after + 1, last + 1))
        rows = self._store.read(place_of(code), *keys).rows
        return tuple(_member_in(key, row) for key, row in rows.items())

    def student_of(self, code: str, browser: str) -> model.Member | None:
        """Return the student of a browser."""
        key = _browser_key(browser)
        number = self._store.read(place_of(code), key)[key].data
        found = self.students_joined(code, int(number) - 1, int(number)) if number else ()
        return next(iter(found), None)

    def save_student(self, code: str, member: model.Member) -> bool:
        """Write what a student has marked, if the version is what the store has."""
        key = student_key(member.number)
        put = {key: pack(member.student)}
        return member.version > 0 and self._store.write(place_of(code), put, {key: member.version})

    def real_names(self, code: str) -> model.RealNames:
        """Return all the real names of a class."""
        rows = self._scan(code, "real/")
        roster = self._value(code, ROSTER, tuple[Person, ...]) or ()
        return model.RealNames(
            {number_in_key(key): name.decode() for key, name in rows.items()}, roster
        )

    def without_real_names(self, code: str) -> Rows:
        """Return what takes all real names of a class away, and the list."""
        return dict.fromkeys((ROSTER, *self._scan(code, "real/")))

    def has_real_name(self, code: str, number: int) -> bool:
        """Say whether a student has given a real name."""
        return bool(self._store.read(place_of(code), _real_key(number)).rows)

    def note_presence(self, code: str, places: Mapping[str, str]) -> None:
        """Write where some browsers were seen just now; give up where it cannot be written."""
        keys = {_browser_key(browser): place for browser, place in places.items()}

        def rows(_: ClassCounters, read: Read) -> Put | None:
            owners = {int(read[key].data): keys[key] for key in keys if read[key].revision}
            seen = {number: model.Presence(read.now, place) for number, place in owners.items()}
            return {_SEEN: pack(_seen_in(read) | seen)} if owners else None

        with suppress(TooManyConflicts):
            self._update(code, (_SEEN, *keys), rows)

    def note_dashboard(self, code: str, number: int) -> None:
        """Write that a dashboard that was handed on is open now, for a number of its list."""

        def rows(_: ClassCounters, read: Read) -> Put:
            return {_DESKS: pack(_desks_in(read) | {number: read.now})}

        with suppress(TooManyConflicts):
            self._update(code, (_DESKS,), rows)

    def dashboards_seen(self, code: str) -> Mapping[int, float]:
        """Return when dashboards that were handed on were last seen open, by their numbers."""
        return _desks_in(self._store.read(place_of(code), _DESKS))

    def presence(self, code: str) -> Mapping[int, model.Presence]:
        """Return when each student was last seen, and where."""
        return _seen_in(self._store.read(place_of(code), _SEEN))

    def take_card(self, code: str) -> int:
        """Return the next number of a card that nobody has, and never again."""

        def decision(head: ClassCounters | None, _: Read) -> tuple[int, Put]:
            if head is None:
                return 1, {}
            return head.next_card, {HEAD: head.packed(next_card=head.next_card + 1)}

        return self._decide(code, (), decision)

    def claim(self, code: str, seen: ClassCounters, claim: Claim, until: float) -> Claim | None:
        """Keep a claim, unless its card has one at that call already.

        The first right one stops the clock in the same moment, at the calls that were seen.

        Returns:
            the claim that is kept: of a card and call the first; None if the class has changed, or
            the store's time is later than ``until``.
        """

        def decision(head: ClassCounters | None, read: Read) -> tuple[Claim | None, Put]:
            if head is None or read.now > until or not head.is_open:
                return None, {}
            if (head.version, head.round) != (seen.version, seen.round):
                return None, {}
            claims = _claims_in(read)
            for kept in claims:
                if (kept.card, kept.call) == (claim.card, claim.call):
                    return kept, {}
            numbers: dict[str, float] = {
                "claims": len(claims) + 1,
                "right": head.right + claim.right,
            }
            if claim.right and not head.right:
                numbers |= clock_numbers(Clock(seen.calls, read.now, head.every, seen.calls))
            return claim, {HEAD: head.packed(**numbers), CLAIMS: pack((*claims, claim))}

        return self._decide(code, (CLAIMS,), decision, before=until)

    def finished(self, code: str) -> tuple[model.RoundData, ...]:
        """Return the rounds that are over, the oldest first."""
        rows = self._store.scan(place_of(code), "round/").values("round/", model.RoundData)
        return tuple(rows.values())

    def _students_after(self, code: str, read: Read, change: model.Change) -> Rows | None:
        """Return the rows of students after a change; None if a nickname is taken."""
        before, after, put = Rows(), Rows(), Rows()
        for member in change.members:
            key = student_key(member.number)
            put[key] = None
            before |= _found_by(member.number, _member_in(key, read[key]).student)
        for member in change.students:
            put[student_key(member.number)] = pack(member.student)
            after |= _found_by(member.number, member.student)
        changed = {way for way in {*before, *after} if before.get(way) != after.get(way)}
        kept = self._store.read(place_of(code), _SEEN, *changed)
        for way in changed:
            owner, new = kept[way].data, after.get(way)
            if new and way.startswith("name/") and owner not in (b"", new, before.get(way)):
                return None
            if new or owner == before.get(way):  # else the browser is another student's by now
                put[way] = new
        if gone := {member.number for member in change.gone}:
            for store in (self.tournaments, self.shown, self.votes):
                put |= dict.fromkeys(store.keys_of(code, gone))
            put |= dict.fromkeys(map(_real_key, gone)) | dict.fromkeys(map(play_key, gone))
            left = {who: at for who, at in _seen_in(kept).items() if who not in gone}
            put[_SEEN] = pack(left)
        return put


def round_over(data: model.RoundData) -> Rows:
    """Return the rows that keep a round that is over, and take an old one away."""
    return {round_key(data.number): pack(data), round_key(data.number - MAX_FINISHED): None}


def _member_in(key: str, row: Row) -> model.Member:
    """Return a student; one that is damaged raises ``msgspec.MsgspecError``."""
    return model.Member(number_in_key(key), row.revision, _decode_student(row.data))


_decode_student: Final = msgspec.msgpack.Decoder(model.Student).decode


def _claims_in(read: Read) -> tuple[Claim, ...]:
    return read.value(CLAIMS, tuple[Claim, ...]) or ()


def _seen_in(read: Read) -> dict[int, model.Presence]:
    return read.value(_SEEN, dict[int, model.Presence]) or {}


def _desks_in(read: Read) -> dict[int, float]:
    return read.value(_DESKS, dict[int, float]) or {}


def _found_by(number: int, student: model.Student) -> Rows:
    """Return the rows by which a student is found: those of the nickname and the browsers."""
    keys = (_nickname_key(student), *map(_browser_key, student.browsers))
    return dict.fromkeys(keys, b"%d" % number)


def _nickname_key(student: model.Student) -> str:
    return f"name/{name_key(student.name)}"


def _browser_key(browser: str) -> str:
    return f"browser/{browser}"


def _real_key(number: int) -> str:
    return f"real/{number:04}"
