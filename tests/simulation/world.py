"""A simulated world: one clock, one random source, greenlets that take turns, and faults.

At every statement and commit, other greenlets may run first, the worker may be killed, or the
database may fail. Each worker has a separate engine for the same file, like a process. A killed
worker's transaction is rolled back, and the worker does nothing afterwards.
"""

import heapq
import math
import os
import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import flask
import pytest
from greenlet import getcurrent, greenlet
from sqlalchemy import Connection, event

from web import db
from web.db import engines

BEGIN: Final = 1_790_000_000.0
"""Start time of every simulation, in seconds since 1970."""

PAUSE: Final = 0.01
"""Simulated time between two attempts to acquire the write lock, in seconds. Shorter pauses would
account for most of a run's time.
"""


@dataclass(frozen=True)
class Faults:
    """Probabilities of events at a statement or a commit."""

    switch: float = 0.2  # Other greenlets run before the call.
    long: float = 0.01  # The statement takes some seconds, and the clock advances by this time.
    before: float = 0.002  # The call fails before its effect.
    after: float = 0.002  # The commit takes effect, but its caller gets an error.
    kill: float = 0.0005  # The worker is killed before or after the call.


QUIET: Final = Faults(switch=0, before=0, after=0, kill=0)


class Killed(BaseException):
    """Raised if the worker of this request was killed.

    No handler of the site catches this exception.
    """


class World:
    """Runs actors as greenlets on a simulated clock.

    All random values come from a single seed.
    """

    def __init__(self, seed: int, faults: Faults) -> None:
        self.seed, self.random = seed, random.Random(seed)
        self.faults, self.now = faults, BEGIN
        # Whether actors should finish their current activity without starting another.
        self.is_over = False
        self.counts: Counter[str] = Counter()  # Number of events of each kind.
        self._hub = getcurrent()
        self._queue: list[tuple[float, int, greenlet]] = []
        self._order = count()
        self._workers: dict[greenlet, Worker] = {}
        self._bytes = random.Random(f"bytes {seed}")

    @contextmanager
    def installed(self) -> Iterator[None]:
        """In a ``with`` block, replace the process's clock and random source."""
        before = random.getstate()
        random.seed(f"module {self.seed}")
        clock, randbytes = lambda: self.now, self._bytes.randbytes
        with pytest.MonkeyPatch.context() as patch:
            for module in (db, time, engines):
                patch.setattr(module, "monotonic", clock)
            for module in (time, engines):
                patch.setattr(module, "sleep", self.sleep)
            patch.setattr(time, "time", clock)
            patch.setattr(engines, "FairLock", lambda: Lock(self))
            patch.setattr(engines, "_PAUSE", PAUSE)
            patch.setattr(os, "urandom", randbytes)
            patch.setattr(random, "_urandom", randbytes)
            patch.setattr(secrets, "token_bytes", lambda size=32: randbytes(size))
            yield
        random.setstate(before)

    def watch(self, app: flask.Flask) -> None:
        """At each statement and commit, run other greenlets, fail, or kill the worker."""
        engine = db.database(app).engine
        # Other greenlets run at "checkout", before a transaction begins, because a listener of
        # "begin" would run after the engine's own listener.
        event.listen(engine, "checkout", lambda *_: self._let_others_go_first())
        event.listen(engine, "before_cursor_execute", lambda *_: self._at_point("before"))
        event.listen(engine, "commit", self._at_commit)

    def _at_commit(self, connection: Connection) -> None:
        self._at_point("before")
        raw: Any = connection.connection.dbapi_connection
        raw.commit()  # SQLAlchemy then finds nothing left to commit.
        self._at_point("after")

    def spawn(self, act: Callable[[], object], delay: float = 0.0) -> None:
        """Run a function in a new greenlet, after a delay in seconds."""

        def run() -> None:
            with suppress(Killed):
                act()

        self._wake(greenlet(run, self._hub), delay)

    def sleep(self, seconds: float) -> None:
        """Suspend the current greenlet and run the other greenlets."""
        self._wake(getcurrent(), seconds)
        self._hub.switch()

    def _wake(self, sleeping: greenlet, delay: float) -> None:
        heapq.heappush(self._queue, (self.now + max(0.0, delay), next(self._order), sleeping))

    def run(self, until: float) -> None:
        """Run the simulation until a time, in seconds since the start.

        An actor's error is raised again.
        """
        while self._queue and self._queue[0][0] <= BEGIN + until:
            at, _, current = heapq.heappop(self._queue)
            self.now = max(self.now, at)
            self.counts["switches"] += 1
            current.switch()

    def finish(self, within: float) -> None:
        """Run for the given time without further faults.

        Afterwards no greenlet may be asleep.
        """
        self.faults, self.is_over = QUIET, True
        self.run(self.now - BEGIN + within)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return probability > 0 and self.random.random() < probability

    @contextmanager
    def answering(self, worker: "Worker") -> Iterator[None]:
        """Process a request in a worker, as soon as one of the worker's threads is free."""
        worker.threads.acquire()
        current = getcurrent()
        self._workers[current] = worker
        try:
            yield
        finally:
            del self._workers[current]
            worker.threads.release()

    def _at_point(self, moment: str) -> None:
        """Choose the event that happens before a statement, or before or after a commit."""
        worker = self._workers.get(getcurrent())
        if worker is None:
            return  # The test itself queries the database, or the site is being created.
        if moment == "before":
            self._let_others_go_first()
        if worker.alive and self.chance(self.faults.kill):
            self.counts["killed workers"] += 1
            worker.alive = False
        if not worker.alive:
            raise Killed
        if self.chance(getattr(self.faults, moment)):
            self.counts[f"calls that failed {moment}"] += 1
            raise db.Unavailable(f"It failed {moment} the call.")

    def _let_others_go_first(self) -> None:
        if getcurrent() in self._workers and self.chance(self.faults.switch):
            self.sleep(self.random.uniform(0, 3 if self.chance(self.faults.long) else 0.05))


class Lock:
    """The writers' lock of a worker, or the worker's free threads.

    A greenlet that waits lets other greenlets run.

    If requests did not wait for a thread, sixty students would need more connections than an
    engine's pool has, and would wait in real time while the simulated clock stands still.
    """

    def __init__(self, world: World, free: int = 1) -> None:
        self._world, self._free = world, free

    def acquire(self, timeout: float = math.inf) -> bool:
        """Acquire the lock within a timeout in seconds; return whether it was acquired."""
        ends = self._world.now + timeout
        while not self._free:
            if self._world.now >= ends:
                return False
            self._world.sleep(PAUSE)
        self._free -= 1
        return True

    def release(self) -> None:
        self._free += 1


@dataclass
class Worker:
    """A server process, whose memory is lost when the process is killed."""

    threads: Lock
    alive: bool = True
