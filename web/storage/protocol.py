"""What the sessions need of a store, whatever it is.

Whoever saves says which version they have read. A save of any other version is refused, so of two
simultaneous moves one is always told to look again; nothing is ever overwritten unseen.

Beside a session lie its finished rounds, which live as long as it does, and beside a deal that
many play lie their results. Both are written with a session's save or not at all.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

LIFETIME: Final = 14 * 86_400
"""How long a session lives after its last move, and a deal after it was made, in seconds."""

MAX_ROUNDS: Final = 200
"""So many finished rounds are kept of a session's table: the newest."""

MAX_RESULTS: Final = 1_000
"""So many results are kept of a deal: the first."""


class StoreUnavailable(Exception):
    """The store cannot be read or written just now; nothing was changed."""


class VersionedBlob(NamedTuple):
    """A session as it lies in the store: its version, from 1, and its bytes."""

    version: int
    data: bytes


class Round(NamedTuple):
    """A finished round as it is kept beside its session."""

    game: str
    """The table's slug."""

    number: int
    """Counts up from 1 within a session's table, and is never used again."""

    data: bytes
    """Whatever it is: the store does not look inside."""


class Result(NamedTuple):
    """What one player has made of a deal that many play."""

    deal: str
    player: str
    data: bytes


SideWrite = Round | Result
"""What can be written together with a session."""


class Store(Protocol):
    """What the sessions need of a store.

    All of it raises :class:`StoreUnavailable` when the store does not answer.
    """

    def load(self, sid: str) -> VersionedBlob | None:
        """Return a session that has not expired."""

    def save(
        self, sid: str, version: int, data: bytes, side_writes: Sequence[SideWrite] = ()
    ) -> bool:
        """Write ``version + 1`` if ``version`` is what the store holds; 0 is a new session.

        What stands beside it is written in the same moment, or nothing is. A round replaces the one
        of its number and drops those that are 200 or more older; one that is itself so old is not
        written. Of a player's results in a deal the first counts, of a deal's the first thousand;
        one that comes too late, or for a deal that is gone, is left out.

        Returns whether it was written: False when somebody else has saved meanwhile.
        """

    def renew(self, sid: str) -> None:
        """Let a session live as long as after a move, though nothing of it changes."""

    def delete(self, sid: str) -> None:
        """Forget a session and its rounds."""

    def rounds(self, sid: str, game: str) -> tuple[Round, ...]:
        """Return the rounds kept of a session's table, the newest first."""

    def round(self, sid: str, game: str, number: int) -> Round | None:
        """Return one round, if it is kept."""

    def keep_deal(self, deal: str, data: bytes) -> bool:
        """Keep a deal for as long as a session is idle; return False if its id is taken."""

    def deal(self, deal: str) -> bytes | None:
        """Return what was kept of a deal that has not expired."""

    def results(self, deal: str) -> tuple[Result, ...]:
        """Return the results of a deal, in the order they came."""

    def check_read(self) -> None:
        """Return if the store answers."""

    def check_write(self) -> None:
        """Return if the store takes a write."""

    def count(self) -> int:
        """Return how many sessions there are."""

    def purge(self) -> int:
        """Delete some expired sessions and deals; return how many, 0 when none are left."""

    def iter_sessions(self) -> Iterator[tuple[str, VersionedBlob]]:
        """Return every session that has not expired, by its id."""

    def faults(self) -> str:
        """Return what is wrong with the store in words, or nothing."""
