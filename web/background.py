"""Runs long jobs in a process beside the server, at low priority (nice 10).

A :data:`Task` does a part of about a second and returns whether there was anything to do. So no
task waits long for another, and the process stops soon after SIGTERM, between two parts.
"""

import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import Process
from typing import Any, Final, cast

from web.processes import exit_with_parent
from web.settings import Settings
from web.storage import open_store
from web.storage.store import Store, StoreUnavailable

NICE: Final = 10
"""Niceness of the process: those that answer requests come first."""

_IDLE_PAUSE: Final = 0.25  # seconds between two looks for work while there is none

_RETRY_PAUSE: Final = 2  # seconds before the next try where the store does not answer

_MAX_STOP: Final = 5  # maximum number of seconds for which the server waits for the process to end

Task = Callable[[], bool]
"""Does a part of what there is to do; returns False where there is nothing."""

MakeTask = Callable[[Settings, Store], Task]
"""Makes a task, which writes its results to the given store."""

log = logging.getLogger("cardgames.background")


@contextmanager
def background_process(settings: Settings, *tasks: MakeTask) -> Iterator[None]:
    """Run tasks in a process of their own for as long as the block lasts.

    Args:
        settings: the server's.
        tasks: functions that make the tasks; they are called in that process.
    """
    process = Process(target=_supervise, args=(settings, tasks), name="background")
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join(_MAX_STOP)


def _supervise(settings: Settings, tasks: Sequence[MakeTask]) -> None:
    """Keep one worker process running, and start another when it has died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the server's, which then ends this
    exit_with_parent()
    while True:
        process = Process(target=_work, args=(settings, tasks), name="background worker")
        process.start()
        process.join()
        log.error("the background process ended (%s) and is started again", process.exitcode)
        time.sleep(1)


def _work(settings: Settings, tasks: Sequence[MakeTask]) -> None:
    """Do one part after the other, until SIGTERM."""
    received: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    exit_with_parent()
    opened = open_store(settings.ensure_data_dir(), settings.session_store, settings.store_limit)
    store = cast("Store", _PromptStore(opened))
    made = [make(settings, store) for make in tasks]
    if hasattr(os, "nice"):  # Windows has no niceness: there the process is like any other
        os.nice(NICE)
    while not received:
        try:
            busy = [task() for task in made]
        except StoreUnavailable as error:
            log.error("store: %s", error)  # noqa: TRY400 - a full disk needs no traceback
            time.sleep(_RETRY_PAUSE)
            continue
        if not any(busy):
            time.sleep(_IDLE_PAUSE)


class _PromptStore:
    """A store whose writes are done by a thread of normal priority.

    A file has one writer at a time: while that one waits for a processor, so does every move.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._writer = store, ThreadPoolExecutor(1)
        self._writer.submit(int).result()  # it starts now, before the process is niced

    def write(self, *values: Any, **options: Any) -> bool:
        return self._writer.submit(self._store.write, *values, **options).result()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
