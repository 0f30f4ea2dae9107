"""How much time and memory a student's code may take."""

from typing import NamedTuple


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
