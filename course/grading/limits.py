"""How much time and memory a student's code may take."""

from contextlib import suppress
from typing import Any, Final, NamedTuple

MAX_FILE: Final = 10_000_000
"""Bytes of a file that a student's code may write."""


MAX_PROCESSES: Final = 64
"""Maximum number of processes of the user, for a check that starts one more; root has no limit."""


class Limits(NamedTuple):
    """The limits of one check, and of all checks of one student."""

    seconds: int = 2
    """Processor time of a check."""
    wall: float = 10
    """Time of a check on the clock, for a program that waits."""
    megabytes: int = 512
    """Memory of a check."""
    budget: float = 180
    """Time of all checks of one student on the clock."""


def limit_process(seconds: int, megabytes: int) -> None:
    """Limit this process's time, memory and files, as far as the system does."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    memory = megabytes << 20
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, MAX_FILE, MAX_FILE),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NPROC, MAX_PROCESSES, MAX_PROCESSES),
    ):
        with suppress(ValueError, OSError):  # macOS knows no limit of addresses
            resource.setrlimit(kind, (soft, hard))


def unfinished(problem: str, running: str = "") -> dict[str, Any]:
    """Return the outcome of a check that was not finished.

    Args:
        problem: why, in words.
        running: what was running, if anything was.
    """
    return {
        "passed": False, "problem": problem, "called": [], "expected": "", "got": "", "notes": [],
        "transcript": [], "running": running,
    }  # fmt: skip
