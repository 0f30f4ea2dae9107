"""Who may start which run: a budget by work, so that nobody closes the lab for the others.

Runs of players who have played a move come first, and among equals those that need least. So a run
waits only for those that are no larger; and of these there may be ten minutes' work.
"""

from collections.abc import Collection
from typing import Final

from cardgames.simulation import Experiment, work
from cardgames.text import Text
from web.deals.location import DEAL_ROW
from web.storage.jobs import Job
from web.storage.sessions import Session
from web.tables.location import TABLE_ROW

MAX_AHEAD: Final = 600_000
"""So much work may wait before a run, in milliseconds."""

MAX_STRANGERS: Final = 10_000
"""So much work a run may be of somebody who has not played a move, in milliseconds."""

MAX_YOURS: Final = 2
"""So many runs of one player may be open."""

MAX_OPEN: Final = 200
"""So many runs of one priority may be open."""

_MINUTE: Final = 60_000


def priority_of(session: Session) -> int:
    """Return the priority of a player's runs: 0 for who has played a move, 1 for a visitor."""
    return 0 if any(key.startswith((TABLE_ROW, DEAL_ROW)) for key in session) else 1


def refusal(
    experiment: Experiment, priority: int, yours: Collection[int], open_jobs: Collection[Job]
) -> Text | None:
    """Say why a run cannot be started now.

    Args:
        experiment: what is asked for.
        priority: the player's (:func:`priority_of`).
        yours: the numbers of their latest runs.
        open_jobs: all jobs that wait or are being done.

    Returns:
        The sentence; None where the run can be started.
    """
    if sum(job.number in yours for job in open_jobs) >= MAX_YOURS:
        busy = Text("You have {runs} runs that are not finished: wait for one, or cancel it.")
        return busy.fill(runs=MAX_YOURS)
    needed = work(experiment)
    if priority and needed > MAX_STRANGERS:
        return Text(
            "So many games are for those who play here too: play a move at one of the tables, or "
            "ask for fewer games."
        )
    before = [job for job in open_jobs if (job.priority, job.work) <= (priority, needed)]
    ahead = sum(job.work for job in before)
    if ahead > MAX_AHEAD or sum(job.priority == priority for job in open_jobs) >= MAX_OPEN:
        full = Text(
            "Runs of about {minutes} minutes are waiting before yours. Ask for fewer games, or try "
            "again later."
        )
        return full.fill(minutes=max(1, ahead // _MINUTE))
    return None
