"""Long computations that somebody has asked for, kept until they are done and looked at.

A worker takes a job for a short while, does a part of it, puts it back with what came out
so far, and takes again. So a job that needs less is never behind one that needs much; one that is
cancelled ends with its part; and when the process is killed the job is taken again where it stood.
Jobs wait in queues, so that those who fill one do not hold up those in another.

All lie in one place. ``open`` lists the jobs that are not finished, and is written with each
change of a job: a process with nothing to do reads one row. ``job/7`` and ``result/7`` are a job's.
"""

from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from web.storage.store import DAY, LIFETIME, Read, Row, Store, decide

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


class _OpenJobs(msgspec.Struct, frozen=True, array_like=True):
    """The jobs that are not finished."""

    last: int = 0
    """The newest number that was given to a job."""

    jobs: tuple[_Open, ...] = ()


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
            read = self._store.read(_PLACE, "open")
            waiting, now = self._open(read), int(read.now)
            job = Job(waiting.last + 1, now, queue, work, JobState.OPEN, 0, data)
            rows = self._store.scan(_PLACE, "job/").rows
            kept = [one for one in _jobs_in(rows.values()) if one.created > now - LIFETIME]
            crowded = [one.number for one in kept if one.queue == queue][: 1 - MAX_JOBS]
            stay = {one.number for one in kept if one.number not in crowded}
            gone = {key.removeprefix("job/") for key in rows} - {*map(str, stay)}
            put: dict[str, bytes | None] = dict.fromkeys(f"result/{number}" for number in gone)
            put |= dict.fromkeys(f"job/{number}" for number in gone)
            put[f"job/{job.number}"] = _packed(job)
            left = [one for one in waiting.jobs if str(one.number) not in gone]
            after = _OpenJobs(job.number, (*left, _Open(queue, work, job.number)))
            expires = now + LIFETIME + DAY
            return job if self._write(read, after, put, expires) else None

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
        last = self._open(self._store.read(_PLACE, "open")).last
        return self._jobs(*range(last, max(0, last - count), -1))

    def open_jobs(self) -> tuple[Job, ...]:
        """Return the jobs that are not finished: one queue after the other, each in its order."""
        waiting = self._open(self._store.read(_PLACE, "open"))
        found = self._jobs(*(one.number for one in sorted(waiting.jobs)))
        return tuple(job for job in found if job.state is JobState.OPEN)

    def take(self, queue: int) -> Job | None:
        """Take the first job of a queue for ``LEASE`` seconds; None where there is none."""

        def attempt() -> tuple[Job, ...] | None:
            read = self._store.read(_PLACE, "open")
            waiting, now = self._open(read), int(read.now * 1_000_000)
            free = sorted(one for one in waiting.jobs if one.lease <= now)
            failed = [one for one in free if one.attempts >= MAX_ATTEMPTS]
            mine = [one for one in free if one.queue == queue and one not in failed][:1]
            if not (mine or failed):
                return ()  # asked again and again: nothing is written
            taken = [
                _Open(queue, one.work, one.number, now + LEASE * 1_000_000, one.attempts + 1)
                for one in mine
            ]
            put: dict[str, bytes | None] = {
                f"job/{job.number}": _packed(job._replace(state=JobState.FAILED, lease=0))
                for job in self._jobs(*(one.number for one in failed))
            }
            left = [one for one in waiting.jobs if one not in failed and one not in mine]
            if not self._write(read, _OpenJobs(waiting.last, (*left, *taken)), put):
                return None
            return self._jobs(*(one.number for one in taken))

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
            mine = next((one for one in waiting.jobs if one.number == number), None)
            after = job or _job(read[f"job/{number}"].data)
            if mine is None or after is None or (job and mine.lease != job.lease):
                return False
            put: dict[str, bytes | None] = {}
            if job is None:
                after = after._replace(state=JobState.CANCELLED)
            else:
                put[f"result/{number}"] = result
            put[f"job/{number}"] = _packed(after._replace(lease=0))
            left = [one for one in waiting.jobs if one is not mine]
            if after.state is JobState.OPEN:
                left.append(_Open(after.queue, after.work, number))
            return self._write(read, _OpenJobs(waiting.last, tuple(left)), put) or None

        return decide(attempt)

    def _jobs(self, *numbers: int) -> tuple[Job, ...]:
        """Return those of some jobs that are kept."""
        read = self._store.read(_PLACE, "open", *(f"job/{number}" for number in numbers))
        leases = {one.number: one.lease for one in self._open(read).jobs}
        found = (_job(read[f"job/{number}"].data) for number in numbers)
        return tuple(
            job._replace(lease=leases.get(job.number, 0))
            for job in found
            if job and job.created > read.now - LIFETIME
        )

    def _open(self, read: Read) -> _OpenJobs:
        """Return which jobs are open; where that is damaged, as the jobs themselves say it."""
        try:
            data = read["open"].data
            return msgspec.msgpack.decode(data, type=_OpenJobs) if data else _OpenJobs()
        except msgspec.MsgspecError:
            jobs = _jobs_in(self._store.scan(_PLACE, "job/").rows.values())
            left = [job for job in jobs if job.state is JobState.OPEN]
            waiting = tuple(_Open(job.queue, job.work, job.number) for job in left)
            return _OpenJobs(jobs[-1].number if jobs else 0, waiting)

    def _write(
        self, read: Read, after: _OpenJobs, put: dict[str, bytes | None], expires: int = 0
    ) -> bool:
        """Write jobs, and which are open, if nobody has changed a job meanwhile."""
        seen = {"open": read["open"].revision}
        return self._store.write(_PLACE, put | {"open": _packed(after)}, seen, expires=expires)


def _packed(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


def _jobs_in(rows: Iterable[Row]) -> list[Job]:
    return sorted(job for row in rows if (job := _job(row.data)))


def _job(data: bytes) -> Job | None:
    with suppress(msgspec.MsgspecError):
        return msgspec.msgpack.decode(data, type=Job)
    return None
