"""How much time and memory a student's program may take."""

from contextlib import suppress
from typing import Final, NamedTuple

MAX_FILE: Final = 10_000_000
"""Maximum size of a file that a program may write, in bytes."""

MAX_PROCESSES: Final = 64
"""Maximum number of processes of the user, for a program that starts one more."""


class Limits(NamedTuple):
    """The limits of one program."""

    seconds: int = 60
    """Processor time in all."""
    wall: float = 2
    """Time on the clock for one decision."""
    megabytes: int = 512
    """Memory."""


DEFAULT_LIMITS: Final = Limits()


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
