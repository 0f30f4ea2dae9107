"""What tournaments need of a store: what each student has played, and what decisions cost.

An entry is all that a student has played of a tournament, so a move is one compare-and-set of one
row: of two browsers of a student, or two presses, one is first and the other is told. Entries
belong to their student, costs to the class, and both are forgotten with them.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol


class StoredEntry(NamedTuple):
    """What a student has played of a tournament, as it lies in the store."""

    tournament: int
    student: int
    data: bytes


class TournamentStore(Protocol):
    """What tournaments need of a store.

    All of it raises :class:`~web.storage.protocol.StoreUnavailable` when the store does not answer.
    """

    def entries(self, code: str, tournament: int) -> Mapping[int, bytes]:
        """Return what each student has played of a tournament, by their numbers."""

    def entries_of(self, code: str, student: int) -> Mapping[int, bytes]:
        """Return what a student has played, by the numbers of the tournaments."""

    def save_entry(self, code: str, entry: StoredEntry, seen: bytes, *, finished: bool) -> bool:
        """Write what a student has played of a tournament, if it is as it was read.

        Args:
            code: the class's.
            entry: what is written.
            seen: what was read; nothing for a student who begins.
            finished: whether all of it is played with this: then ``Pulse.students`` is raised, so
                that the big screen and dashboards look again.

        Returns:
            whether it was written: not where somebody else has written meanwhile, or the student is
            forgotten.
        """

    def deals_played(self, code: str) -> bytes:
        """Return what is kept of the browsers of forgotten students; ``Change`` writes it."""

    def costs(self, code: str, tournament: int) -> bytes:
        """Return what decisions cost at the deals of a tournament; nothing before it is known."""

    def keep_costs(self, code: str, tournament: int, data: bytes) -> None:
        """Keep that, if the class is there still; ``Pulse.students`` is raised."""
