"""The process beside the server: it does what takes long, and steps back behind those that answer.

What there is to do is a :data:`Task`: it does a part of about a second, and says whether there was
anything. So no task waits long for another, and the process stops soon after it is told to, between
two parts.
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
"""How far the process steps back behind those that answer."""

_ASKED_EVERY: Final = 0.25
"""In seconds: how often the tasks are asked while there is nothing to do."""

_RETRIED_EVERY: Final = 2
"""The same while a store does not answer."""

_ENDS_WITHIN: Final = 5

Task = Callable[[], bool]
"""Does a part of what there is to do; returns False where there is nothing."""

MakeTask = Callable[[Settings, Store], Task]
"""Makes a task, which keeps what comes of it in the store that it is given."""

log = logging.getLogger("cardgames.background")


@contextmanager
def background_process(settings: Settings, *tasks: MakeTask) -> Iterator[None]:
    """Do what there is to do, in a process of its own, for as long as the block lasts.

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
        process.join(_ENDS_WITHIN)


def _supervise(settings: Settings, tasks: Sequence[MakeTask]) -> None:
    """Have a process that works for as long as the server is there: another when one has died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the server's, which then ends this
    exit_with_parent()
    while True:
        process = Process(target=_work, args=(settings, tasks), name="background worker")
        process.start()
        process.join()
        log.error("the background process ended (%s) and is started again", process.exitcode)
        time.sleep(1)


def _work(settings: Settings, tasks: Sequence[MakeTask]) -> None:
    """Do one part after the other, until the process is told to stop."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    exit_with_parent()
    opened = open_store(settings.ensure_data_dir(), settings.session_store, settings.store_limit)
    store = cast("Store", _PromptStore(opened))
    made = [make(settings, store) for make in tasks]
    os.nice(NICE)
    while not told:
        try:
            busy = [task() for task in made]
        except StoreUnavailable as error:
            log.error("store: %s", error)  # noqa: TRY400 - a full disk needs no traceback
            time.sleep(_RETRIED_EVERY)
            continue
        if not any(busy):
            time.sleep(_ASKED_EVERY)


class _PromptStore:
    """A store whose writes are done by a thread that does not step back.

    A file has one writer at a time: while that one waits for a processor, so does every move.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._writer = store, ThreadPoolExecutor(1)
        self._writer.submit(int).result()  # it starts now, before the process steps back

    def write(self, *values: Any, **options: Any) -> bool:
        return self._writer.submit(self._store.write, *values, **options).result()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
