"""Plays experiments in a low-priority process, while the requests for the experiments wait.

Each worker of the server has one such process, which starts with the first experiment.
"""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import util
from threading import BoundedSemaphore
from typing import Final

from cardgames.cards import CardGameError
from cardgames.lab import Experiment, LabResult, TooSlow, run
from cardgames.text import Text
from web.processes import exit_with_parent

NICE: Final = 10
"""Niceness of the process, so that the processes that answer requests have priority."""

MAX_WAITING: Final = 2
"""Maximum number of requests that wait for an experiment, including the request for the running
experiment.
"""

MAX_SECONDS: Final = 15
"""Maximum processor time of an experiment, in seconds. Wall time is not limited, because the
low-priority process may wait for other processes.
"""

_MAX_START: Final = 15  # timeout for the start of the process, in seconds

_waiting: Final = BoundedSemaphore(MAX_WAITING)


class NotPlayed(CardGameError):
    """Raised if an experiment was not played now, but may be played later."""


def play(experiment: Experiment) -> LabResult:
    """Play an experiment in the process and wait for the result.

    Raises:
        NotPlayed: If the experiment takes too long, other requests are waiting, or the process was
            killed.
    """
    if not _waiting.acquire(blocking=False):
        raise NotPlayed(Text("The lab is busy with other players. Try again in a moment."))
    try:
        wait = MAX_WAITING * MAX_SECONDS + _MAX_START
        return _pool().submit(run, experiment, MAX_SECONDS).result(wait)
    except (TooSlow, TimeoutError):
        raise NotPlayed(Text("That takes too long right now. Choose fewer rounds.")) from None
    except BrokenProcessPool:
        _pool.cache_clear()  # The next request starts another process.
        raise NotPlayed(Text("The lab had to stop. Try again in a moment.")) from None
    finally:
        _waiting.release()


@cache
def _pool() -> ProcessPoolExecutor:
    # A worker that ends waits for its child processes before it shuts down its pools, so it would
    # wait forever.
    util.Finalize(None, _stop, exitpriority=1)
    # The process is not forked, because other threads of the worker may hold a lock during the
    # fork.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=_begin)


def _stop() -> None:
    for process in multiprocessing.active_children():
        process.terminate()


def _begin() -> None:
    """Prepare the lab's process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C ends the process without a traceback.
    exit_with_parent()
    # Windows does not support niceness, so the process has normal priority there.
    if hasattr(os, "nice"):
        os.nice(NICE)
