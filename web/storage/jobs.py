"""Long computations that somebody has asked for, kept until they are done and looked at.

Whoever does them takes a job for a short while, does a part of it, puts it back with what came out
so far, and takes again. So a job that needs less is never behind one that needs much; one that is
cancelled ends with its part; and when the process is killed the job is taken again where it stood.
Jobs wait in queues, so that those who fill one do not hold up those in another.

All lie in one place. ``kept`` and ``open`` list the jobs that are kept and those that are not
finished: a process with nothing to do reads one row. ``job/7`` and ``result/7`` are a job's own.
"""

from contextlib import suppress
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from web.storage.store import DAY, LIFETIME, Read, Store, decide

QUEUES: Final = range(3)
"""The queues that there are: for the lab's players, for its visitors, and for classes."""

MAX_JOBS: Final = 300
"""Maximum number of jobs that are kept of each queue: the newest."""

LEASE: Final = 60
"""For how many seconds a job is taken; it is put back long before, unless its process is gone."""

MAX_ATTEMPTS: Final = 3
"""A job that was taken so often and never put back ends whatever process does it: it has failed."""

_PLACE: Final = "jobs"


class JobState(StrEnum):
    """Where a job stands."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Job(NamedTuple):
    """A long computation."""

    number: int
    """Counts up from 1 and is never used again."""

    created: int
    """When it was asked for, in seconds since 1970."""

    queue: int
    """The queue in which it waits."""

    work: int
    """How much of it is left; in its queue the job with the least comes first."""

    state: JobState
    lease: int
    """Until when it is taken, in microseconds since 1970; 0 when it is not. A job is put back only
    by the process that still has it."""

    data: bytes
    """What is asked and how far it is: the store does not look inside."""


class _Open(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A job that is not finished; the first of a queue is the next one."""

    queue: int
    work: int
    number: int
    lease: int = 0
    attempts: int = 0


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """The jobs that are kept."""

    last: int = 0
    """The newest number that was given."""

    jobs: tuple[tuple[int, int, int], ...] = ()
    """The number, queue and creation of each, the oldest first."""


class Jobs:
    """The jobs of a site."""

    def __init__(self, store: Store) -> None:
        """Keep jobs in a store; nothing is asked before the first is used."""
        self._store = store

    def add(self, queue: int, work: int, data: bytes) -> Job:
        """Keep a new job; the oldest of its queue goes when there are too many.

        Raises:
            StoreFull: there is no room for the first job of all.
        """

        def attempt() -> Job | None:
            read = self._store.read(_PLACE, "kept", "open")
            kept, now = self._kept(read), int(read.now)
            job = Job(kept.last + 1, now, queue, work, JobState.OPEN, 0, data)
            gone = {number for number, _, created in kept.jobs if created <= now - LIFETIME}
            queued = [number for number, other, _ in kept.jobs if other == queue]
            gone.update(queued[: max(0, len(queued) - MAX_JOBS + 1)])
            stay = tuple(one for one in kept.jobs if one[0] not in gone)
            still_open = [one for one in self._open(read) if one.number not in gone]
            put: dict[str, bytes | None] = {
                **dict.fromkeys(
                    f"{kind}/{number}" for number in gone for kind in ("job", "result")
                ),
                "kept": _packed(_Kept(job.number, (*stay, (job.number, queue, now)))),
                "open": _packed([*still_open, _Open(queue, work, job.number)]),
                f"job/{job.number}": _packed(job),
            }
            seen = {key: read[key].revision for key in ("kept", "open")}
            expires = now + LIFETIME + DAY
            return job if self._store.write(_PLACE, put, seen, expires=expires) else None

        return decide(attempt)

    def find(self, number: int) -> Job | None:
        """Return a job, if it is kept."""
        return next(iter(self._jobs(number)), None)

    def result(self, number: int) -> bytes:
        """Return what came out of a job so far; empty where nothing has."""
        key = f"result/{number}"
        return self._store.read(_PLACE, key)[key].data

    def latest(self, count: int) -> tuple[Job, ...]:
        """Return the newest jobs, the newest first."""
        kept = self._kept(self._store.read(_PLACE, "kept"))
        return self._jobs(*(number for number, _, _ in kept.jobs[: -count - 1 : -1]))

    def open_jobs(self) -> tuple[Job, ...]:
        """Return the jobs that are not finished: one queue after the other, each in its order."""
        waiting = sorted(self._open(self._store.read(_PLACE, "open")))
        found = self._jobs(*(one.number for one in waiting))
        return tuple(job for job in found if job.state is JobState.OPEN)

    def take(self, queue: int) -> Job | None:
        """Take the first job of a queue for ``LEASE`` seconds; None where there is none."""

        def attempt() -> tuple[Job, ...] | None:
            read = self._store.read(_PLACE, "open")
            waiting, now = self._open(read), int(read.now * 1_000_000)
            free = [one for one in sorted(waiting) if one.lease <= now]
            failed = {one.number for one in free if one.attempts >= MAX_ATTEMPTS}
            mine = [one for one in free if one.queue == queue and one.number not in failed]
            if not (mine or failed):
                return ()  # asked again and again: nothing is written
            put: dict[str, bytes | None] = {
                f"job/{job.number}": _packed(job._replace(state=JobState.FAILED, lease=0))
                for job in self._jobs(*failed)
            }
            stay = [one for one in waiting if one.number not in failed and one not in mine[:1]]
            lease = now + LEASE * 1_000_000
            stay += (
                msgspec.structs.replace(one, lease=lease, attempts=one.attempts + 1)
                for one in mine[:1]
            )
            put["open"] = _packed(stay)
            if not self._store.write(_PLACE, put, {"open": read["open"].revision}):
                return None
            found = self._jobs(*(one.number for one in mine[:1]))
            return tuple(job._replace(lease=lease) for job in found)

        return next(iter(decide(attempt)), None)

    def put(self, job: Job, result: bytes) -> bool:
        """Put a job back as it stands now, with what came out so far.

        Returns False, and writes nothing, when it was cancelled or taken by somebody else.
        """
        return self._settle(job.number, job, result)

    def cancel(self, number: int) -> bool:
        """End a job that is open; return whether it was."""
        return self._settle(number)

    def _settle(self, number: int, job: Job | None = None, result: bytes = b"") -> bool:
        """Write how a job stands; without one it is cancelled."""

        def attempt() -> bool | None:
            read = self._store.read(_PLACE, "open", f"job/{number}")
            waiting = self._open(read)
            mine = next((one for one in waiting if one.number == number), None)
            after = job or _job(read[f"job/{number}"].data)
            if mine is None or after is None or (job and mine.lease != job.lease):
                return False
            stay = [one for one in waiting if one is not mine]
            put: dict[str, bytes | None] = {}
            if job is None:
                after = after._replace(state=JobState.CANCELLED)
            else:
                put[f"result/{number}"] = result
            if after.state is JobState.OPEN:
                stay.append(_Open(after.queue, after.work, number))
            put |= {"open": _packed(stay), f"job/{number}": _packed(after._replace(lease=0))}
            return self._store.write(_PLACE, put, {"open": read["open"].revision}) or None

        return decide(attempt)

    def _jobs(self, *numbers: int) -> tuple[Job, ...]:
        """Return those of some jobs that are kept."""
        read = self._store.read(_PLACE, "open", *(f"job/{number}" for number in numbers))
        leases = {one.number: one.lease for one in self._open(read)}
        found = (_job(read[f"job/{number}"].data) for number in numbers)
        return tuple(
            job._replace(lease=leases.get(job.number, 0))
            for job in found
            if job and job.created > read.now - LIFETIME
        )

    def _kept(self, read: Read) -> _Kept:
        """Return which jobs are kept; where that is damaged, as the jobs themselves say it."""
        try:
            data = read["kept"].data
            return msgspec.msgpack.decode(data, type=_Kept) if data else _Kept()
        except msgspec.MsgspecError:
            jobs = tuple((job.number, job.queue, job.created) for job in self._all())
            return _Kept(jobs[-1][0] if jobs else 0, jobs)

    def _open(self, read: Read) -> list[_Open]:
        """Return which jobs are open; where that is damaged, as the jobs themselves say it."""
        try:
            data = read["open"].data
            return msgspec.msgpack.decode(data, type=list[_Open]) if data else []
        except msgspec.MsgspecError:
            jobs = [job for job in self._all() if job.state is JobState.OPEN]
            return [_Open(job.queue, job.work, job.number) for job in jobs]

    def _all(self) -> list[Job]:
        rows = self._store.scan(_PLACE, "job/").rows.values()
        return sorted(job for row in rows if (job := _job(row.data)))


def _packed(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


def _job(data: bytes) -> Job | None:
    with suppress(msgspec.MsgspecError):
        return msgspec.msgpack.decode(data, type=Job)
    return None
