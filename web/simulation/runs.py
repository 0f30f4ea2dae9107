"""Runs: simulations that players have asked for, as jobs of the store."""

from dataclasses import asdict, dataclass
from enum import StrEnum
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
from cardgames.text import Text
from web.storage.jobs import Job, JobState

Kind = Literal["war", "bingo", "twentyone"]

KINDS: Final[dict[Kind, tuple[type[Experiment], type[Result]]]] = {
    "war": (WarGames, WarResult),
    "bingo": (BingoRounds, BingoResult),
    "twentyone": (TwentyOneRounds, TwentyOneResult),
}
"""What can be asked, and what comes out, by its name in forms and in the store."""


class Phase(StrEnum):
    """Where a run stands, as its page says it."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class _Data(msgspec.Struct, frozen=True):
    """What a job's data holds."""

    kind: Kind
    asked: dict[str, Any]
    done: int


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
    def phase(self) -> Phase:
        """Where it stands."""
        if self.is_open:
            return Phase.RUNNING if self.done or self.job.lease else Phase.WAITING
        return Phase(self.job.state.value)

    @property
    def work_left(self) -> int:
        """About how much of it is left: milliseconds (:func:`cardgames.simulation.work`)."""
        return work(self.experiment) * (self.steps - self.done) // self.steps

    def job_at(self, done: int, state: JobState) -> Job:
        """Return its job as it is to be put back.

        Args:
            done: how many steps are done now.
            state: whether it is to be gone on with.
        """
        after = Run(self.job, self.kind, self.experiment, done)
        data = pack(self.kind, self.experiment, done)
        return self.job._replace(state=state, work=after.work_left, data=data)


def pack(kind: Kind, experiment: Experiment, done: int = 0) -> bytes:
    """Return the data of a run's job."""
    return msgspec.json.encode(_Data(kind, asdict(experiment), done))


def to_run(job: Job) -> Run | None:
    """Return the run that a job is; None where it is none that this version can play."""
    try:
        data = msgspec.json.decode(job.data, type=_Data)
        return Run(job, data.kind, msgspec.convert(data.asked, KINDS[data.kind][0]), data.done)
    except msgspec.MsgspecError:
        return None


def pack_result(result: Result | None) -> bytes:
    """Return what came out of a run as the store keeps it."""
    return b"" if result is None else msgspec.json.encode(result)


def unpack_result(kind: Kind, data: bytes) -> Result | None:
    """Return what came out of a run; None where nothing did, or where it cannot be read."""
    try:
        result: Result | None = msgspec.json.decode(data, type=KINDS[kind][1]) if data else None
    except msgspec.MsgspecError:
        return None
    return result
