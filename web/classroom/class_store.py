"""Classes: who joins, what is changed, claimed and marked, as rows of one place (:mod:`.rows`).

An instructor's move is decided on what was read, and written only if that is still so. Joining,
claiming and marking have writes of their own: where somebody else was faster they are decided
again, so sixty phones at once are in nobody's way.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web.classroom.change_rows import (
    CLAIMS,
    CLASS,
    ROSTER,
    SEEN,
    ChangeRows,
    Rows,
    browser_key,
    found_by,
    nickname_key,
    real_key,
    seen_in,
)
from web.classroom.codes import OneTimeLinks, PasswordGuesses
from web.classroom.insight_store import InsightStore
from web.classroom.model import (
    Change,
    Classroom,
    Member,
    Newcomer,
    Presence,
    RealNames,
    Refused,
    RoundData,
    StoredClass,
    Student,
    head_after,
    pack,
    unpack,
)
from web.classroom.rows import (
    FORMAT,
    HEAD,
    ClassCounters,
    head_in,
    number_in_key,
    place_of,
    student_key,
)
from web.storage.hints import Hints
from web.storage.store import ABSENT, Read, Row, Store, TooManyConflicts, decide


class ClassStore(ChangeRows):
    """The classes of a site.

    Every method raises :class:`~web.storage.store.StoreUnavailable` when the store does not answer.
    """

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        super().__init__(store)
        self.insight = InsightStore(store)
        self.links = OneTimeLinks(store)
        self.passwords = PasswordGuesses(store)
        self._ends = Hints(store, "hints/ends")

    # ---- Classes -----------------------------------------------------------------------------

    def create(self, code: str, classroom: Classroom, expires: int) -> bool:
        """Keep a new class; return False if its code is taken.

        Raises:
            StoreFull: there is no room for it.
        """
        head, read = self._read(code)
        if head is not None:
            return False
        if read[HEAD].revision:  # a class whose life was shortened
            self.delete(code)
        put = {HEAD: ClassCounters(FORMAT, expires).packed(), CLASS: pack(classroom)}
        return self._store.write(place_of(code), put, {HEAD: 0}, expires=expires)

    def load(self, code: str) -> StoredClass | None:
        """Return a class that has not ended."""
        head, read = self._read(code, CLASS, CLAIMS)
        if head is None:
            return None
        return StoredClass(head, unpack(read[CLASS].data, Classroom), _claims_in(read))

    def counters(self, code: str) -> ClassCounters | None:
        """Return only the numbers of a class that has not ended."""
        return head_in(self._store.read(place_of(code), HEAD))  # as _read(): phones ask each second

    def commit(self, code: str, seen: ClassCounters, change: Change) -> bool:
        """Write a change if the class and its students are as they were read.

        Returns:
            whether it was written.
        """
        members = (*change.students, *change.gone)
        keys = [student_key(member.number) for member in members]
        before = [member.version for member in members]

        def rows(head: ClassCounters, read: Read) -> Rows | None:
            as_read = (seen.version, seen.students, seen.claims, seen.stop)
            if (head.version, head.students, head.claims, head.stop) != as_read:
                return None
            versions = [read[key].revision for key in keys]
            if read.now > change.until or 0 in versions or versions != before:
                return None
            students = self._students_after(code, read, change)
            if students is None:
                return None
            return {HEAD: head_after(head, change).packed()} | students | self._beside(code, change)

        if change.expires:
            self._ends.note(code)  # the place itself may live longer
        written = self._update(code, keys, rows, expires=change.expires or 0, before=change.until)
        if written and (change.gone or change.forget_names):
            self.insight.forget_waiting(code, [member.number for member in change.gone])
            self._store.scrub()
        return written

    def extend_expiry(self, code: str, expires: int) -> None:
        """Let a class live until a time at least."""

        def rows(head: ClassCounters, _: Read) -> Rows | None:
            return None if head.expires >= expires else {HEAD: head.packed(expires=expires)}

        self._update(code, (), rows, expires=expires)

    def delete(self, code: str) -> None:
        """Forget a class and all that belongs to it."""
        self._store.forget(place_of(code))
        self.insight.forget_waiting(code)
        self._store.scrub()

    def delete_ended(self) -> bool:
        """Forget the classes whose life was shortened and is over; return False for none."""
        ended = [hint for hint in self._ends.all() if self.counters(hint.key) is None]
        for hint in ended:
            self.delete(hint.key)
            self._ends.replace(hint, None)
        return bool(ended)

    # ---- Students ----------------------------------------------------------------------------

    def join(self, code: str, seen: ClassCounters, newcomer: Newcomer) -> int | Refused:
        """Add a student if the class is as it was read, but for other students.

        Returns:
            the student's number: the next one, or the browser's if it has joined already.
        """
        student = newcomer.student
        browser, name = browser_key(student.browsers[0]), nickname_key(student)

        def attempt() -> tuple[int | Refused] | None:
            head, read = self._read(code, browser, name)
            if read[browser].revision:
                return (int(read[browser].data),)
            if head is None or head.version != seen.version or read.now > newcomer.until:
                return (Refused.CHANGED,)
            if head.members >= newcomer.limit:
                return (Refused.FULL,)
            if read[name].revision:
                return (Refused.TAKEN,)
            number = head.joined + 1
            after = head.packed(
                joined=number,
                members=head.members + 1,
                students=head.students + 1,
                stop=head.stop if newcomer.stop is None else min(head.stop, newcomer.stop),
            )
            put: Rows = {HEAD: after, student_key(number): pack(student)}
            put |= found_by(number, student)
            if newcomer.real:
                put[real_key(number)] = newcomer.real.encode()
            checked = {HEAD: read[HEAD].revision}
            done = self._store.write(place_of(code), put, checked, before=newcomer.until)
            return (number,) if done else None

        return decide(attempt)[0]

    def students(self, code: str) -> tuple[Member, ...]:
        """Return all students, in the order of their numbers."""
        rows = self._store.scan(place_of(code), "student/").rows
        found = (_member_in(key, row) for key, row in rows.items())
        return tuple(sorted(found, key=lambda member: member.number))

    def students_joined(self, code: str, after: int, last: int) -> tuple[Member, ...]:
        """Return those students whose numbers lie behind one, up to another."""
        keys = map(student_key, range(after + 1, last + 1))
        rows = self._store.read(place_of(code), *keys).rows
        return tuple(_member_in(key, row) for key, row in rows.items())

    def student_of(self, code: str, browser: str) -> Member | None:
        """Return the student of a browser."""
        key = browser_key(browser)
        found = self._store.read(place_of(code), key)[key]
        key = student_key(int(found.data or 0))
        row = self._store.read(place_of(code), key)[key] if found.revision else ABSENT
        return _member_in(key, row) if row.revision else None

    def save_student(self, code: str, member: Member) -> bool:
        """Write what a student has marked, if the version is what the store has."""
        key = student_key(member.number)
        put = {key: pack(member.student)}
        return member.version > 0 and self._store.write(place_of(code), put, {key: member.version})

    def real_names(self, code: str) -> RealNames:
        """Return all the real names of a class."""
        rows = self._scan(code, "real/")
        roster = self._store.read(place_of(code), ROSTER)[ROSTER].data
        names = msgspec.msgpack.decode(roster, type=tuple[str, ...]) if roster else ()
        return RealNames({number_in_key(key): name.decode() for key, name in rows.items()}, names)

    def has_real_name(self, code: str, number: int) -> bool:
        """Say whether a student has given a real name."""
        return bool(self._store.read(place_of(code), real_key(number)).rows)

    def note_presence(self, code: str, places: Mapping[str, str]) -> None:
        """Write where some browsers were seen just now; what cannot be written is forgotten."""
        keys = {browser_key(browser): place for browser, place in places.items()}

        def rows(_: ClassCounters, read: Read) -> Rows | None:
            owners = {int(read[key].data): keys[key] for key in keys if read[key].revision}
            seen = {number: Presence(read.now, place) for number, place in owners.items()}
            return {SEEN: msgspec.msgpack.encode(seen_in(read) | seen)} if owners else None

        with suppress(TooManyConflicts):
            self._update(code, (SEEN, *keys), rows)

    def presence(self, code: str) -> Mapping[int, Presence]:
        """Return when each student was last seen, and where."""
        return seen_in(self._store.read(place_of(code), SEEN))

    # ---- Rounds ------------------------------------------------------------------------------

    def take_card(self, code: str) -> int:
        """Return the next number of a card that nobody has, and never again."""

        def attempt() -> int | None:
            head, read = self._read(code)
            if head is None:
                return 1
            put = {HEAD: head.packed(next_card=head.next_card + 1)}
            done = self._store.write(place_of(code), put, {HEAD: read[HEAD].revision})
            return head.next_card if done else None

        return decide(attempt)

    def claim(self, code: str, seen: ClassCounters, claim: Claim, until: float) -> Claim | None:
        """Keep a claim, unless its card has one at that call already.

        The first right one stops the clock where it stands, in the same moment.

        Args:
            code: the class's.
            seen: what was read of it; the calls made are those of then.
            claim: what became of it.
            until: when the store's time is later than this, nothing is written.

        Returns:
            the claim that is kept: of a card and call the first; None if the class has changed.
        """

        def attempt() -> tuple[Claim | None] | None:
            head, read = self._read(code, CLAIMS)
            if head is None or read.now > until or not head.is_open:
                return (None,)
            if (head.version, head.round) != (seen.version, seen.round):
                return (None,)
            claims = _claims_in(read)
            for kept in claims:
                if (kept.card, kept.call) == (claim.card, claim.call):
                    return (kept,)
            after = head
            if claim.right and not head.right:
                after = head.with_clock(Clock(seen.calls, read.now, head.every, seen.calls))
            counted = after.packed(claims=len(claims) + 1, right=head.right + claim.right)
            put = {HEAD: counted, CLAIMS: _packed_claims((*claims, claim))}
            checked = {key: read[key].revision for key in (HEAD, CLAIMS)}
            done = self._store.write(place_of(code), put, checked, before=until)
            return (claim,) if done else None

        return decide(attempt)[0]

    def finished(self, code: str) -> tuple[RoundData, ...]:
        """Return the rounds that are over, the oldest first."""
        rows = self._scan(code, "round/")
        return tuple(unpack(data, RoundData) for data in rows.values())


def _member_in(key: str, row: Row) -> Member:
    return Member(number_in_key(key), row.revision, unpack(row.data, Student))


def _claims_in(read: Read) -> tuple[Claim, ...]:
    data = read[CLAIMS].data
    kept = msgspec.msgpack.decode(data, type=tuple[tuple[int, int, int, int], ...]) if data else ()
    return tuple(Claim(*claim) for claim in kept)


def _packed_claims(claims: Iterable[Claim]) -> bytes:
    return msgspec.msgpack.encode(
        [(claim.card, claim.call, claim.resumptions, claim.since) for claim in claims]
    )
