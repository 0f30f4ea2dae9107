"""The simulated world: one clock, one source of luck, greenlets that take turns, and faults.

Every statement and every commit is a point where others go first, where the worker that answers is
killed, or where the database fails. A worker has an engine of its own on the one file, as a process
has. A killed worker's transaction is undone, and nothing else of it is ever done.
"""

import heapq
import os
import random
import secrets
import time
from collections import Counter, deque
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
"""The time at which every simulation begins, in seconds since 1970."""

PAUSE: Final = 0.01
"""Seconds of simulated time between two attempts to write. Shorter pauses take most of a run."""


@dataclass(frozen=True)
class Faults:
    """The probabilities of events at a statement or a commit."""

    switch: float = 0.2
    """Others go first."""

    long: float = 0.01
    """They take seconds, by which a clock has gone on."""

    before: float = 0.002
    """It fails before anything was done."""

    after: float = 0.002
    """A commit is done, and its caller is shown a failure."""

    kill: float = 0.0005
    """The worker is killed, before or after it."""

    leap: float = 0.0002
    """The clock leaps forward, by up to an hour."""


QUIET: Final = Faults(switch=0, before=0, after=0, kill=0, leap=0)


class Killed(BaseException):
    """The worker that answered this request is gone. No handler of the site catches it."""


@dataclass
class Worker:
    """A server process, whose memory is lost when it is killed."""

    number: int
    turns: "Turns"
    alive: bool = True


class World:
    """Runs actors as greenlets on a simulated clock.

    Everything that is random comes from one seed. The world replaces the clock and the randomness
    of the process while :meth:`installed` is entered.
    """

    def __init__(self, seed: int, faults: Faults = QUIET) -> None:
        """Prepare an empty world.

        Args:
            seed: names the history.
            faults: how often something goes wrong.
        """
        self.seed, self.random = seed, random.Random(seed)
        self.faults = faults
        self.now = BEGIN
        self.is_over = False
        """Whether actors shall finish their activity, and begin no other."""

        self.counts: Counter[str] = Counter()
        """The number of events of each kind."""

        self._hub = getcurrent()
        self._queue: list[tuple[float, int, greenlet]] = []
        self._order = count()
        self._workers: dict[greenlet, Worker] = {}
        self._bytes = random.Random(f"bytes {seed}")

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Replace the process's clock and randomness by the world's, in the block."""
        before = random.getstate()
        random.seed(f"module {self.seed}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(db, "monotonic", self.clock)
            for module in (time, engines):
                patch.setattr(module, "monotonic", self.clock)
                patch.setattr(module, "sleep", self.sleep)
            patch.setattr(time, "time", self.clock)
            patch.setattr(engines, "FairLock", lambda: Lock(self))
            patch.setattr(engines, "_PAUSE", PAUSE)
            for module in (os, random):
                patch.setattr(
                    module, "urandom" if module is os else "_urandom", self._bytes.randbytes
                )
            patch.setattr(secrets, "token_bytes", lambda size=32: self._bytes.randbytes(size))
            yield
        random.setstate(before)

    def clock(self) -> float:
        """Return the time."""
        return self.now

    def watch(self, app: flask.Flask) -> None:
        """Take turns, fail and die at the statements and commits of an app."""
        engine = db.database(app).engine
        # Before a transaction begins: a listener of "begin" would come after the engine's own.
        event.listen(engine, "checkout", lambda *_: self._let_others_go_first())
        event.listen(engine, "before_cursor_execute", lambda *_: self.at_point("before"))
        event.listen(engine, "commit", self._at_commit)

    def _at_commit(self, connection: Connection) -> None:
        self.at_point("before")
        raw: Any = connection.connection.dbapi_connection
        raw.commit()  # SQLAlchemy then finds nothing left to commit
        self.at_point("after")

    def spawn(self, act: Callable[[], object], delay: float = 0.0) -> None:
        """Run something in a new greenlet, after a delay in seconds."""

        def run() -> None:
            with suppress(Killed):
                act()

        self.wake(greenlet(run, self._hub), delay)

    def sleep(self, seconds: float) -> None:
        """Suspend the current greenlet, and run the others."""
        self.wake(getcurrent(), seconds)
        self.wait()

    def wait(self) -> None:
        """Run the others until someone wakes the current greenlet."""
        self._hub.switch()

    def run(self, until: float) -> None:
        """Run everything up to a time, given in seconds since the beginning.

        Raises:
            BaseException: what an actor raised first.
        """
        while self._queue and self._queue[0][0] <= BEGIN + until:
            at, _, current = heapq.heappop(self._queue)
            self.now = max(self.now, at)
            self.counts["switches"] += 1
            current.switch()

    def finish(self, within: float) -> None:
        """Run until everyone has finished, without further faults.

        Args:
            within: seconds after which nobody sleeps still.
        """
        self.faults, self.is_over = QUIET, True
        self.run(self.now - BEGIN + within)

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return probability > 0 and self.random.random() < probability

    @contextmanager
    def answering(self, worker: Worker) -> Iterator[None]:
        """Record that this greenlet is a request that a worker answers."""
        current = getcurrent()
        self._workers[current] = worker
        try:
            yield
        finally:
            del self._workers[current]

    def at_point(self, moment: str) -> None:
        """Decide the event before a statement or a commit, and after a commit.

        Args:
            moment: ``"before"`` or ``"after"``.

        Raises:
            Unavailable: it fails.
            Killed: the worker is gone.
        """
        worker = self._workers.get(getcurrent())
        if worker is None:
            return  # the test looks by itself, or the site is being made
        self.counts["points"] += 1
        if moment == "before":
            self._let_others_go_first()
        if moment == "before" and self.chance(self.faults.leap):
            self.counts["leaps of the clock"] += 1
            self.now += self.random.uniform(1, 3_600)
        self._die(worker)
        if self.chance(getattr(self.faults, moment)):
            self.counts[f"calls that failed {moment}"] += 1
            raise db.Unavailable(f"It failed {moment} the call.")

    def _let_others_go_first(self) -> None:
        if getcurrent() in self._workers and self.chance(self.faults.switch):
            self.sleep(self.random.uniform(0, 3 if self.chance(self.faults.long) else 0.05))

    def _die(self, worker: Worker) -> None:
        if worker.alive and self.chance(self.faults.kill):
            self.counts["killed workers"] += 1
            worker.alive = False
        if not worker.alive:
            raise Killed

    def wake(self, sleeping: greenlet, delay: float = 0.0) -> None:
        """Continue a greenlet after a delay in seconds."""
        heapq.heappush(self._queue, (self.now + max(0.0, delay), next(self._order), sleeping))


class Turns:
    """The threads of a worker: requests that find none free wait in the order of their arrival.

    Without this limit, sixty students would want more connections than an engine's pool has, and
    its wait would be a real one on a clock that does not move.
    """

    def __init__(self, world: World, threads: int) -> None:
        self._world, self._free = world, threads
        self._waiting: deque[greenlet] = deque()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for a thread and occupy it for the duration of the block."""
        if self._free:
            self._free -= 1
        else:
            self._waiting.append(getcurrent())
            self._world.wait()
        try:
            yield
        finally:
            if self._waiting:
                self._world.wake(self._waiting.popleft())
            else:
                self._free += 1


class Lock:
    """The lock of a worker's writers: who waits for it lets the others go on."""

    def __init__(self, world: World) -> None:
        """Make it free."""
        self._world, self._held = world, False

    def acquire(self, timeout: float) -> bool:
        """Wait for the lock for some seconds at most; return whether it was got."""
        ends = self._world.now + timeout
        while self._held and self._world.now < ends:
            self._world.sleep(PAUSE)
        if self._held:
            return False
        self._held = True
        return True

    def release(self) -> None:
        """Release it."""
        self._held = False
