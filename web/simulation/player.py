"""Plays runs, a second at a time, in the background process (:mod:`web.background`)."""

import logging
import time
from typing import Final

from cardgames.simulation import run
from web.background import Task
from web.settings import Settings
from web.simulation.runs import LAB, result_of, to_run
from web.storage.jobs import Jobs, JobState
from web.storage.store import Store, pack

PART: Final = 1.0
"""Number of seconds for which a run is played before it is asked which comes first now."""

log = logging.getLogger("cardgames.simulation")


def make_player(settings: Settings, store: Store) -> Task:  # noqa: ARG001 - as all are called
    """Return what plays a part of the run that comes first in each queue."""
    jobs = Jobs(store)
    return lambda: play_parts(jobs)


def play_parts(jobs: Jobs) -> bool:
    """Play a part of the run that comes first in each queue; return False where there is none."""
    played = [play_part(jobs, queue) for queue in LAB]
    return any(played)


def play_part(jobs: Jobs, queue: int) -> bool:
    """Play a part of the run that comes first in a queue; return False where there is none."""
    job = jobs.take(queue)
    if job is None:
        return False
    asked = to_run(job)
    if asked is None:  # of another version: left open it would be taken again and again
        jobs.put(job._replace(state=JobState.FAILED), b"")
        return True
    done, state = asked.done, JobState.FAILED
    result = result_of(jobs, asked) if done else None
    if result is None:  # lost, or of another version: it is played again from its seed
        done = 0
    until = time.monotonic() + PART
    try:
        for step, so_far in run(asked.experiment, done, result):
            done, result = step, so_far
            if time.monotonic() > until:
                break
        state = JobState.DONE if done == asked.steps else JobState.OPEN
    except Exception:
        log.exception("run %d", job.number)
    jobs.put(asked.job_at(done, state), pack(result) if result else b"")
    return True
