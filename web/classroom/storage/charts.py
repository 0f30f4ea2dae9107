"""What strategy charts need of a store: who handed in which, and what each is worth.

A chart belongs to its student and is forgotten with them and with their class. It is written once,
and its appraisal once more.
"""

from enum import Enum
from typing import Final, NamedTuple, Protocol

MAX_A_DAY: Final = 5
"""So many charts a student hands in within a day at most."""

MAX_KEPT: Final = 60
"""So many of a student's are kept at most."""


class StoredChart(NamedTuple):
    """A chart as it lies in the store."""

    number: int
    """Counts up in its class, and is never used again."""

    student: int
    handed_in: float
    """When, by the store's time."""

    data: bytes
    worth: bytes
    """What it is worth; empty until that is worked out."""


class NotTaken(Enum):
    """Why a chart is not kept."""

    GONE = "gone"
    """There is no such student."""

    TODAY = "today"
    """They have handed in as many within a day as they may."""

    FULL = "full"
    """As many are kept of them as can be."""


class ChartStore(Protocol):
    """What strategy charts need of a store.

    All of it raises :class:`~web.storage.protocol.StoreUnavailable` when the store does not answer.
    """

    def add(self, code: str, student: int, data: bytes) -> int | NotTaken:
        """Keep a chart that a student hands in; return its number, or why it is not taken."""

    def charts(self, code: str) -> tuple[StoredChart, ...]:
        """Return the charts of a class, the oldest first."""

    def waiting(self) -> tuple[str, StoredChart] | None:
        """Return a chart whose worth is not worked out yet, and its class; ``None`` for none.

        Of each class the oldest comes first, and no class waits for ever.
        """

    def settle(self, code: str, number: int, worth: bytes, costs: bytes) -> None:
        """Keep what a chart is worth, and what its decisions cost, unless it is gone."""

    def costs(self, code: str, number: int) -> bytes:
        """Return what the decisions of a chart cost; empty until that is worked out."""
