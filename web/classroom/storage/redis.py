"""Classes in a Redis that the workers of all machines share (:mod:`.redis_scripts`)."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web.classroom.storage import redis_scripts as scripts
from web.classroom.storage.protocol import (
    Change,
    Newcomer,
    Presence,
    Pulse,
    RealNames,
    Refused,
    StoredClass,
    StoredStudent,
)
from web.classroom.storage.redis_charts import RedisCharts
from web.classroom.storage.redis_insight import RedisInsight
from web.classroom.storage.redis_rows import RedisRows, class_key
from web.classroom.storage.redis_tournaments import RedisTournaments
from web.storage.protocol import StoreUnavailable
from web.storage.redis_client import RedisClient

_LINKS: Final = "cardgames-class-link:"


class RedisClassStore(RedisRows):
    """Classes in one Redis, a cluster, or what sentinels name."""

    def __init__(self, address: str) -> None:
        """Prepare to connect. A Redis that is away is no reason not to start: it comes back.

        Raises:
            ValueError: the address is none of a Redis.
        """
        super().__init__(RedisClient(address, scripts.SHARED))
        self.insight = RedisInsight(self._client)
        self.charts = RedisCharts(self._client)
        self.tournaments = RedisTournaments(self._client)

    # ---- Classes -----------------------------------------------------------------------------

    def create(self, code: str, data: bytes, expires: int) -> bool:
        """Keep a new class; Redis has dropped those that expired."""
        return bool(self._run(scripts.CREATE, code, data, expires))

    def load(self, code: str) -> StoredClass | None:
        """Return a class that has not expired."""
        found = self._run(scripts.LOAD, code, "expires", "joined", "data")
        if not found:
            return None
        expires, joined, data = found[-3:]
        return StoredClass(_pulse(found), int(expires), int(joined or 0), data)

    def pulse(self, code: str) -> Pulse | None:
        """Return only the numbers of a class that has not expired."""
        found = self._run(scripts.LOAD, code)
        return _pulse(found) if found else None

    def commit(self, code: str, seen: Pulse, change: Change) -> bool:
        """Compare and set, in one script that Redis runs alone."""
        fields = _fields(change, seen)
        over, data = change.finished or ("", b"")
        words: list[Any] = [
            *(seen.version, seen.students, seen.claims, seen.clock.stop),
            *(change.until, _does(change), over, data, len(fields)),
            *(word for pair in fields.items() for word in pair),
        ]
        for one in change.students:
            stays = int(one.data is not None)
            words += [one.number, one.version, stays, one.data or b"", one.key, one.browser]
        written = bool(self._run(scripts.COMMIT, code, *words))
        if written and (change.forget_names or any(one.data is None for one in change.students)):
            self._scrub()
        return written

    def touch(self, code: str, expires: int) -> None:
        """Let a class live until a time at least."""
        self._run(scripts.TOUCH, code, expires)

    def delete(self, code: str) -> None:
        """Forget a class: it is one key."""
        with self._client.asking(class_key(code)) as client:
            client.delete(class_key(code))
        self._scrub()

    # ---- Students ----------------------------------------------------------------------------

    def join(self, code: str, seen: Pulse, newcomer: Newcomer) -> int | Refused:
        """Add a student, or find the one that the browser is already."""
        answer = self._run(
            scripts.JOIN,
            code,
            *(seen.version, newcomer.until, newcomer.limit),
            seen.clock.stop if newcomer.stop is None else newcomer.stop,
            *(newcomer.browser, newcomer.key, newcomer.data, newcomer.real, newcomer.receipt),
        )
        return answer if isinstance(answer, int) else Refused(answer.decode())

    def students(self, code: str) -> tuple[StoredStudent, ...]:
        """Return all students, in the order of their numbers."""
        return tuple(StoredStudent(*row) for row in self._run(scripts.STUDENTS, code))

    def student_of(self, code: str, browser: str) -> StoredStudent | None:
        """Return the student of a browser."""
        found = self._run(scripts.STUDENT_OF, code, browser)
        return StoredStudent(*found) if found else None

    def save_student(self, code: str, student: StoredStudent) -> bool:
        """Compare and set a student's own data."""
        number, version, data = student
        return bool(self._run(scripts.SAVE_STUDENT, code, number, version, data))

    def real_names(self, code: str) -> RealNames:
        """Return all the real names of a class."""
        given = {number: name.decode() for number, name in self._each(code, "name:", "joined")}
        roster = self._field(code, "roster")
        return RealNames(given, msgspec.json.decode(roster, type=tuple[str, ...]) if roster else ())

    def has_real_name(self, code: str, number: int) -> bool:
        """Say whether a student has given a real name."""
        with self._client.asking(class_key(code)) as client:
            return bool(client.hexists(class_key(code), f"name:{number}"))

    def note_presence(self, code: str, places: Mapping[str, str]) -> None:
        """Write where some browsers were seen just now."""
        words = (word for pair in places.items() for word in pair)
        self._run(scripts.NOTE_PRESENCE, code, *words)

    def presence(self, code: str) -> Mapping[int, Presence]:
        """Return when each student was last seen, and where."""
        found = {}
        for number, value in self._each(code, "seen:", "joined"):
            at, _, place = value.decode().partition(" ")
            found[number] = Presence(float(at), place)
        return found

    # ---- Rounds ------------------------------------------------------------------------------

    def take_card(self, code: str) -> int:
        """Return the next number of a card that nobody has, and never again."""
        return int(self._run(scripts.TAKE_CARD, code))

    def claim(self, code: str, seen: Pulse, claim: Claim, until: float) -> Claim | None:
        """Keep a claim; the first right one stops the clock."""
        kept = self._run(
            scripts.CLAIM,
            code,
            *(seen.version, seen.round, until, seen.calls),
            *(claim.card, claim.call, claim.heat, claim.since),
        )
        return _claim(kept) if kept else None

    def claims(self, code: str) -> tuple[Claim, ...]:
        """Return the claims of the newest round, in the order they came."""
        return tuple(_claim(value) for _, value in self._each(code, "claim:", "claims"))

    def finished(self, code: str) -> tuple[tuple[int, bytes], ...]:
        """Return the rounds that are over, by their numbers, the oldest first."""
        return tuple(self._each(code, "over:", "round"))

    # ---- Links -------------------------------------------------------------------------------

    def keep_link(self, key: str, data: bytes, lifetime: int) -> None:
        """Keep what a one-time link is good for."""
        with self._client.asking(_LINKS + key) as client:
            client.set(_LINKS + key, data, ex=lifetime)

    def link(self, key: str) -> bytes | None:
        """Return what a one-time link is good for, if it is good still."""
        with self._client.asking(_LINKS + key) as client:
            found: bytes | None = client.get(_LINKS + key)
        return found

    def take_link(self, key: str) -> bytes | None:
        """Return what a one-time link is good for, and end it."""
        with self._client.asking(_LINKS + key) as client:
            found: bytes | None = client.getdel(_LINKS + key)
        return found

    def swap_link(self, key: str, old: bytes | None, new: bytes, lifetime: int) -> bool:
        """Keep other bytes under a key of the links, if it still holds what was read."""
        words = (b"" if old is None else old, new, lifetime)
        return bool(self._client.run(scripts.SWAP_LINK, _LINKS + key, *words))

    # ---- Redis -------------------------------------------------------------------------------

    def _each(self, code: str, fields: str, last: str) -> list[tuple[int, bytes]]:
        """Return the values of numbered fields, by their numbers."""
        found: list[tuple[int, bytes]] = self._run(scripts.EACH, code, fields, last)
        return [(number, value) for number, value in found]

    def _scrub(self) -> None:
        """Have Redis write its log of writes anew, without what was deleted, if it keeps one.

        One that does not let us ask for it is left alone (docs/classroom.md says what to do).
        """
        with suppress(StoreUnavailable):
            if any(info.get("aof_enabled") for info in self._client.infos("persistence")):
                with self._client.asking() as client:
                    nodes = (
                        {"target_nodes": "primaries"} if hasattr(client, "get_primaries") else {}
                    )
                    client.execute_command("BGREWRITEAOF", **nodes)


def _pulse(found: list[Any]) -> Pulse:
    version, students, claims, right, round_, is_open = (int(one or 0) for one in found[:6])
    calls, since, every, stop = found[6:10]
    clock = Clock(int(calls or 0), float(since or 0), int(every or 0), int(stop))
    return Pulse(version, students, claims, right, round_, bool(is_open), clock, float(found[10]))


def _fields(change: Change, seen: Pulse) -> dict[str, Any]:
    """Return the fields of a class that a change sets."""
    fields: dict[str, Any] = {}
    if change.data is not None:
        fields |= {"data": change.data, "version": seen.version + 1}
    if change.clock is not None:
        clock = change.clock
        names = ("calls", "every", "stop")
        fields |= {name: getattr(clock, name) for name in names} | {"since": repr(clock.since)}
    if change.is_open is not None:
        fields["open"] = int(change.is_open)
    if change.roster is not None:
        fields["roster"] = msgspec.json.encode(change.roster)
    if change.deals_played is not None:
        fields["deals_played"] = change.deals_played
    plain = {"round": change.round, "next_card": change.next_card, "expires": change.expires}
    return fields | {name: value for name, value in plain.items() if value is not None}


def _does(change: Change) -> str:
    """Return what a change does besides setting fields."""
    said = {
        "begins": change.round is not None,
        "goes on": change.goes_on,
        "forget names": change.forget_names,
    }
    return ",".join(word for word, does in said.items() if does)


def _claim(kept: bytes) -> Claim:
    return Claim(*map(int, kept.split()))
