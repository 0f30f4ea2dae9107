"""Runs: simulations that players have asked for, as jobs of the store; and who may start which.

A budget by work keeps the lab open for everybody. Players who have made a move wait in one queue,
visitors in another, and they are played in turns: so visitors, who cost nothing to make, take half
of the time at most. In a queue the run that needs least comes first. So a run waits for those that
are no larger, and of these there may be ten minutes' work.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from cardgames.simulation import (
    BingoResult,
    BingoRounds,
    Experiment,
    Result,
    TwentyOneResult,
    TwentyOneRounds,
    WarGames,
    WarResult,
    count_steps,
    work,
)
from cardgames.simulation.report import title
from cardgames.text import Text, plural
from web.deals.location import DEAL_ROW
from web.storage.jobs import QUEUES, Job, Jobs, JobState
from web.storage.sessions import Session
from web.storage.store import pack, unpack
from web.tables.location import TABLE_ROW

Kind = Literal["war", "bingo", "twentyone"]

KINDS: Final[dict[Kind, tuple[type[Experiment], type[Result]]]] = {
    "war": (WarGames, WarResult),
    "bingo": (BingoRounds, BingoResult),
    "twentyone": (TwentyOneRounds, TwentyOneResult),
}
"""What can be asked, and what comes out, by its name in forms and in the store."""


PLAYERS, VISITORS = LAB = QUEUES
"""The queue of players who have made a move, and that of visitors: both of the lab."""

MAX_AHEAD: Final = 600_000
"""Maximum number of milliseconds of work that waits before a run in its queue."""

MAX_VISITORS: Final = 10_000
"""Maximum number of milliseconds of work of a run of somebody who has not played a move."""

MAX_YOURS: Final = 2
"""Maximum number of open runs of one player."""

MAX_OPEN: Final = 200
"""Maximum number of open runs of a queue."""

_MINUTE: Final = 60_000


@dataclass(frozen=True, slots=True)
class Run:
    """A simulation that a player has asked for."""

    job: Job
    kind: Kind
    experiment: Experiment
    done: int
    """How many of its steps are done."""

    @property
    def number(self) -> int:
        """Its number, which is its address."""
        return self.job.number

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return count_steps(self.experiment)

    @property
    def title(self) -> Text:
        """What is played, in a line."""
        return title(self.experiment)

    @property
    def is_open(self) -> bool:
        """Whether it waits or is being played."""
        return self.job.state is JobState.OPEN

    @property
    def phase(self) -> str:
        """Where it stands, as its page says it: ``waiting``, ``running``, or how it has ended."""
        if self.is_open:
            return "running" if self.done or self.job.lease else "waiting"
        return self.job.state.value

    def job_at(self, done: int, state: JobState) -> Job:
        """Return its job as it is to be put back.

        Args:
            done: how many steps are done now.
            state: whether it goes on.
        """
        left = work(self.experiment) * (self.steps - done) // self.steps
        data = pack_run(self.kind, self.experiment, done)
        return self.job._replace(state=state, work=left, data=data)


def pack_run(kind: Kind, experiment: Experiment, done: int = 0) -> bytes:
    """Return the data of a run's job."""
    return pack((kind, experiment, done))


def to_run(job: Job) -> Run | None:
    """Return a job as a run; None where this version cannot play it."""
    data = unpack(job.data, tuple[Kind, dict[str, Any], int])
    if data is None:
        return None
    kind, asked, done = data
    try:
        return Run(job, kind, msgspec.convert(asked, KINDS[kind][0]), done)
    except msgspec.MsgspecError:
        return None


def result_of(jobs: Jobs, run: Run) -> Result | None:
    """Return what came out of a run so far; None where nothing did, or it cannot be read."""
    return unpack(jobs.result(run.number), KINDS[run.kind][1])


def queue_of(session: Session) -> int:
    """Return the queue of a player's runs."""
    has_played = any(key.startswith((TABLE_ROW, DEAL_ROW)) for key in session)
    return PLAYERS if has_played else VISITORS


def why_not(
    experiment: Experiment, queue: int, yours: Collection[int], open_jobs: Collection[Job]
) -> Text | None:
    """Say why a run cannot be started now; None where it can.

    Args:
        experiment: what is asked for.
        queue: the player's (:func:`queue_of`).
        yours: the numbers of their latest runs.
        open_jobs: all jobs that wait or are being done.
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
    # Larger ones wait behind this one, so they do not hold it up.
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
