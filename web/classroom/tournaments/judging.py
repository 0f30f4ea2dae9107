"""Has it worked out what the decisions of a tournament cost: as a job, beside the server.

It is asked for with the tournament, and done long before most have played: what is to be known
follows from the deals alone. Should a job get lost, the next round that is over asks again.
"""

import logging
from typing import Final

import flask
import msgspec

from web.background import Task
from web.classroom.class_store import ClassStore
from web.classroom.tournaments.costs import deal_costs, pack_costs, unpack_costs
from web.classroom.tournaments.model import Tournament
from web.settings import Settings
from web.storage.jobs import QUEUES, Job, Jobs, JobState
from web.storage.store import Store, StoreUnavailable

QUEUE: Final = QUEUES[2]

JOBS: Final = "class-jobs"
"""The name of the store of jobs among an app's extensions."""

log = logging.getLogger("cardgames.classroom")


class _Asked(msgspec.Struct, frozen=True):
    """What a job's data holds."""

    code: str
    number: int


def ask_for_costs(code: str, tournament: Tournament) -> None:
    """Have it worked out what the decisions of a tournament cost, unless that is on its way.

    Where the jobs cannot be reached nothing happens: it is asked again.
    """
    jobs: Jobs = flask.current_app.extensions[JOBS]
    data = msgspec.json.encode(_Asked(code, tournament.number))
    try:
        if not any(job.data == data for job in jobs.open_jobs() if job.queue == QUEUE):
            jobs.add(QUEUE, tournament.deals, data)
    except StoreUnavailable as error:
        log.warning("what decisions cost is not asked for: %s", error)


def make_judge(settings: Settings, store: Store) -> Task:
    """Return what works out the costs of the tournament that comes first."""
    if settings.classes == "off":
        return lambda: False
    jobs, classes = Jobs(store), ClassStore(store)
    return lambda: judge_next(jobs, classes)


def judge_next(jobs: Jobs, store: ClassStore) -> bool:
    """Work out the costs of the tournament that comes first; return False where there is none."""
    job = jobs.take(QUEUE)
    if job is None:
        return False
    state = JobState.FAILED
    try:
        _judge(job, store)
        state = JobState.DONE
    except StoreUnavailable:
        raise  # the job is taken again
    except Exception:
        log.exception("job %d", job.number)
    jobs.put(job._replace(state=state), b"")
    return True


def _judge(job: Job, store: ClassStore) -> None:
    """Work out what the decisions of one tournament cost, if its class is there still."""
    asked = msgspec.json.decode(job.data, type=_Asked)
    stored = store.load(asked.code)
    if stored is None:
        return
    kept = stored.classroom.tournaments
    tournament = next((one for one in kept if one.number == asked.number), None)
    advisor = tournament.game.advisor if tournament else None
    if tournament is None or advisor is None:
        return
    if len(unpack_costs(store.tournaments.costs(asked.code, asked.number))) == tournament.deals:
        return
    costs = (
        deal_costs(tournament.deal(deal).shared, advisor) for deal in range(1, tournament.deals + 1)
    )
    store.tournaments.keep_costs(asked.code, asked.number, pack_costs(costs))
