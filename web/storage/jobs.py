"""Long computations that somebody has asked for, kept until they are done and looked at.

A worker takes a job for a short while, does a part of it, puts it back with what came out
so far, and takes again. So a job that needs less is never behind one that needs much; one that is
cancelled ends with its part; and when the process is killed the job is taken again where it stood.
Jobs wait in queues, so that those who fill one do not hold up those in another.

All lie in one place: ``job/open/7`` until it is finished, and ``job/over/7`` from then on, with
``result/7``. So a process with nothing to do reads no row. ``job/last`` is the newest number.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

from web.storage.store import DAY, LIFETIME, Put, Read, Store, decide, pack

QUEUES: Final = range(2)
"""The queues that there are: for the lab's players, and for its visitors."""

MAX_JOBS: Final = 300
"""Maximum number of jobs that are kept of each queue: the newest."""

LEASE: Final = 60
"""For how many seconds a job is taken; it is put back long before, unless its process is gone."""

MAX_ATTEMPTS: Final = 3
"""A job that was taken so often and never put back ends whatever process does it: it has failed."""

_PLACE: Final = "jobs"
_ALL, _OPEN, _OVER, _LAST = "job/", "job/open/", "job/over/", "job/last"


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

    attempts: int = 0
    """How often it was taken since it was last put back."""

    @property
    def key(self) -> str:
        """Of its row."""
        return f"{_OPEN if self.state is JobState.OPEN else _OVER}{self.number}"


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
            read = self._store.scan(_PLACE, _ALL)
            kept, now = _jobs(read), int(read.now)
            job = Job(_last(read) + 1, now, queue, work, JobState.OPEN, 0, data)
            # These go: all but the newest MAX_JOBS - 1, beside which the new one is kept.
            crowded = [one for one in kept if one.queue == queue][: 1 - MAX_JOBS]
            gone = read.rows.keys() - {one.key for one in kept if one not in crowded} - {_LAST}
            results = (f"result/{key.rpartition('/')[2]}" for key in gone)
            put: Put = {
                **dict.fromkeys((*gone, *results)),
                _LAST: pack(job.number),
                job.key: pack(job),
            }
            expires = now + LIFETIME + DAY
            done = self._store.write(_PLACE, put, read.seen([_LAST]), expires=expires)
            return job if done else None

        return decide(attempt)

    def find(self, number: int) -> Job | None:
        """Return a job, if it is kept."""
        return next(iter(self._read(number)), None)

    def result(self, number: int) -> bytes:
        """Return what came out of a job so far; empty where nothing has."""
        key = f"result/{number}"
        return self._store.read(_PLACE, key)[key].data

    def latest(self, count: int) -> tuple[Job, ...]:
        """Return the newest jobs, the newest first."""
        last = _last(self._store.read(_PLACE, _LAST))
        return self._read(*range(max(0, last - count) + 1, last + 1))[::-1]

    def open_jobs(self) -> tuple[Job, ...]:
        """Return the jobs that are not finished: one queue after the other, each in its order."""
        found = _jobs(self._store.scan(_PLACE, _OPEN))
        return tuple(sorted(found, key=lambda job: (job.queue, job.work, job.number)))

    def take(self, queue: int) -> Job | None:
        """Take the first job of a queue for ``LEASE`` seconds; None where there is none."""

        def attempt() -> tuple[Job, ...] | None:
            read = self._store.scan(_PLACE, _OPEN)
            now = int(read.now * 1_000_000)
            free = [job for job in _jobs(read) if job.queue == queue and job.lease <= now]
            if not free:
                return ()  # asked again and again: nothing is written
            first = min(free, key=lambda job: (job.work, job.number))
            if first.attempts >= MAX_ATTEMPTS:
                # Then None, whether it was written or not: the next job is looked for.
                self._replace(read, first, first._replace(state=JobState.FAILED, lease=0))
                return None
            # In microseconds: no two leases of a job are the same, and put() knows its own by it.
            lease = now + LEASE * 1_000_000
            taken = first._replace(lease=lease, attempts=first.attempts + 1)
            return (taken,) if self._replace(read, first, taken) else None

        return next(iter(decide(attempt)), None)

    def put(self, job: Job, result: bytes) -> bool:
        """Put a job back as it stands now, with what came out so far.

        Returns False, and writes nothing, when it was cancelled or taken by somebody else.
        """

        def after(kept: Job) -> Job | None:
            return job._replace(lease=0, attempts=0) if kept.lease == job.lease else None

        return self._settle(job.number, after, {f"result/{job.number}": result})

    def cancel(self, number: int) -> bool:
        """End a job that is open; return whether it was."""
        return self._settle(number, lambda kept: kept._replace(state=JobState.CANCELLED, lease=0))

    def _settle(self, number: int, change: Callable[[Job], Job | None], beside: Put = {}) -> bool:  # noqa: B006 - it is not changed
        """Change a job that is open; return whether it was, and is to be changed."""

        def attempt() -> bool | None:
            read = self._store.read(_PLACE, f"{_OPEN}{number}")
            for kept in _jobs(read):
                if after := change(kept):
                    return self._replace(read, kept, after, beside) or None
            return False

        return decide(attempt)

    def _replace(self, read: Read, before: Job, after: Job, beside: Put = {}) -> bool:  # noqa: B006 - likewise
        """Write a job that is open, if nobody has changed it meanwhile."""
        put: Put = {**beside, before.key: None, after.key: pack(after)}
        return self._store.write(_PLACE, put, read.seen([before.key]))

    def _read(self, *numbers: int) -> tuple[Job, ...]:
        """Return those of some jobs that are kept, in the order of their numbers."""
        keys = (f"{kind}{number}" for number in numbers for kind in (_OPEN, _OVER))
        return _jobs(self._store.read(_PLACE, *keys))


def _jobs(read: Read) -> tuple[Job, ...]:
    """Return the jobs among rows in the order of their numbers, but for those too old."""
    found = (*read.values(_OPEN, Job).values(), *read.values(_OVER, Job).values())
    return tuple(sorted(job for job in found if job.created > read.now - LIFETIME))


def _last(read: Read) -> int:
    """Return the newest number; where its row is damaged, as the jobs say it."""
    return max(read.value(_LAST, int) or 0, *(job.number for job in _jobs(read)), 0)
