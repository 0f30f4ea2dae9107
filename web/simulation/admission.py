"""Who may start which run: a budget by work, so that nobody closes the lab for the others.

Who has played a move waits in one queue, a visitor in another, and they are played in turns: so
visitors, who cost nothing to make, take half of the time at most. In a queue the run that needs
least comes first. So a run waits for those that are no larger, and of these there may be ten
minutes' work.
"""

from collections.abc import Collection
from typing import Final

from cardgames.simulation import Experiment, work
from cardgames.text import Text, plural
from web.deals.location import DEAL_ROW
from web.storage.jobs import QUEUES, Job
from web.storage.sessions import Session
from web.tables.location import TABLE_ROW

PLAYERS, VISITORS = LAB = QUEUES
"""The queue of who has played a move, and that of who has not: all that is the lab's."""

MAX_AHEAD: Final = 600_000
"""So much work may wait before a run in its queue, in milliseconds."""

MAX_VISITORS: Final = 10_000
"""So much work a run may be of somebody who has not played a move, in milliseconds."""

MAX_YOURS: Final = 2
"""So many runs of one player may be open."""

MAX_OPEN: Final = 200
"""So many runs of a queue may be open."""

_MINUTE: Final = 60_000


def queue_of(session: Session) -> int:
    """Return the queue of a player's runs."""
    has_played = any(key.startswith((TABLE_ROW, DEAL_ROW)) for key in session)
    return PLAYERS if has_played else VISITORS


def refusal(
    experiment: Experiment, queue: int, yours: Collection[int], open_jobs: Collection[Job]
) -> Text | None:
    """Say why a run cannot be started now.

    Args:
        experiment: what is asked for.
        queue: the player's (:func:`queue_of`).
        yours: the numbers of their latest runs.
        open_jobs: all jobs that wait or are being done.

    Returns:
        The sentence; None where the run can be started.
    """
    if sum(job.number in yours for job in open_jobs) >= MAX_YOURS:
        busy = Text("You have {runs} runs that are not finished: wait for one, or cancel it.")
        return busy.fill(runs=MAX_YOURS)
    needed = work(experiment)
    if queue == VISITORS and needed > MAX_VISITORS:
        return Text(
            "So many games are for those who play here too: play a move at one of the tables, or "
            "ask for fewer games."
        )
    waiting = [job.work for job in open_jobs if job.queue == queue]
    ahead = sum(left for left in waiting if left <= needed)
    if ahead > MAX_AHEAD:
        return plural(
            "Runs of about {number} minute are waiting before yours. Ask for fewer games, or try "
            "again later.",
            "Runs of about {number} minutes are waiting before yours. Ask for fewer games, or try "
            "again later.",
            max(1, ahead // _MINUTE),
        )
    if len(waiting) >= MAX_OPEN:
        return Text("{runs} runs are waiting already. Try again in a few minutes.", runs=MAX_OPEN)
    return None
