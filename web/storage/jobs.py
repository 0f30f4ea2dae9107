"""Long computations that somebody has asked for, kept until they are done and looked at.

Whoever does them takes a job for a short while, does a part of it, puts it back with what came out
so far, and takes again. So a job that needs less is never behind one that needs much; one that is
cancelled ends with its part; and when the process is killed the job is taken again where it stood.
Jobs wait in queues, so that those who fill one do not hold up those in another.
"""

from enum import StrEnum
from typing import Final, NamedTuple, Protocol

QUEUES: Final = range(3)
"""The queues that there are: for the lab's players, for its visitors, and for classes."""

LIFETIME: Final = 14 * 86_400
"""How long a job is kept at most, in seconds."""

MAX_JOBS: Final = 300
"""So many jobs are kept of each queue: the newest."""

LEASE: Final = 60
"""For so many seconds a job is taken; it is put back long before, unless its process is gone."""

MAX_ATTEMPTS: Final = 3
"""A job that was taken so often and never put back ends whatever process does it: it has failed."""


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
    """Until when it is taken, in microseconds since 1970; 0 when it is not. It tells whoever puts a
    job back whether they still have it."""

    data: bytes
    """What is asked and how far it is: the store does not look inside."""


class JobStore(Protocol):
    """Where jobs are kept.

    All of it raises :class:`~web.storage.protocol.StoreUnavailable` when the store does not answer.
    """

    def add(self, queue: int, work: int, data: bytes) -> Job:
        """Keep a new job; the oldest of its queue goes when there are too many."""

    def find(self, number: int) -> Job | None:
        """Return a job, if it is kept."""

    def result(self, number: int) -> bytes:
        """Return what came out of a job so far; empty where nothing has."""

    def latest(self, count: int) -> tuple[Job, ...]:
        """Return the newest jobs, the newest first."""

    def open_jobs(self) -> tuple[Job, ...]:
        """Return the jobs that are not finished: one queue after the other, each in its order."""

    def take(self, queue: int) -> Job | None:
        """Take the first job of a queue for ``LEASE`` seconds; None where there is none."""

    def put(self, job: Job, result: bytes) -> bool:
        """Put a job back as it stands now, with what came out so far.

        Returns False, and writes nothing, when it was cancelled or taken by somebody else.
        """

    def cancel(self, number: int) -> bool:
        """End a job that is open; return whether it was."""
