"""What *insight* needs of a store: rounds that wait to be judged, and what came of the others.

A move that ends a student's round adds it to those that wait; it is judged beside the server, once,
and goes then: what is kept of it is a part of one row a student, with what was decided and what it
cost. All of it belongs to the student, and is forgotten with them and with their class.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

MAX_WAITING: Final = 500
"""So many rounds of a student wait at most; further ones are left out."""


class WaitingRound(NamedTuple):
    """A round that a student has finished, and that nobody has judged yet."""

    student: int
    number: int
    """Tells it from all others that wait."""

    data: bytes


class StoredPlay(NamedTuple):
    """What is kept of how a student has played."""

    student: int
    version: int
    """From 1; 0 where nothing is kept yet."""

    data: bytes


class Judged(NamedTuple):
    """How a student has played, with some rounds more."""

    play: StoredPlay
    """With the version that was read."""

    numbers: tuple[int, ...]
    """Those of the rounds that wait no longer."""


class InsightStore(Protocol):
    """What *insight* needs of a store.

    All of it raises :class:`~web.storage.protocol.StoreUnavailable` when the store does not answer.
    """

    def add_rounds(self, code: str, student: int, rounds: Sequence[bytes]) -> None:
        """Let rounds of a student wait; without effect where there is no such student."""

    def waiting_class(self) -> str:
        """Return a class in which rounds wait: the one that has waited longest; empty for none."""

    def waiting(self, code: str, most: int) -> tuple[WaitingRound, ...]:
        """Return some rounds of a class that wait."""

    def count_waiting(self, code: str) -> int:
        """Return how many rounds of a class wait."""

    def plays(self, code: str) -> tuple[StoredPlay, ...]:
        """Return how the students of a class have played, in the order of their numbers."""

    def play_of(self, code: str, student: int) -> StoredPlay:
        """Return how a student has played."""

    def settle(self, code: str, judged: Sequence[Judged]) -> None:
        """Keep what was judged, unless the student is gone or somebody else has judged meanwhile.

        Of these nothing is written, and their rounds wait on if they are there still.
        """
