"""What the sessions need of a store, whatever it is.

Whoever saves says which version they have read. A save of any other version is refused, so of two
simultaneous moves one is always told to look again; nothing is ever overwritten unseen.

Beside a session lie its finished rounds, which live as long as it does and are written with one of
its saves or not at all. Deals that many play, and their results, are apart from every session: so
each call of a store touches one player or one deal, and a cluster can keep them on any machine.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from web.storage.store import StoreFull as StoreFull  # noqa: PLC0414 - one for all
from web.storage.store import StoreUnavailable as StoreUnavailable  # noqa: PLC0414

LIFETIME: Final = 14 * 86_400
"""How long a session lives after its last move, and a deal after it was made, in seconds."""

MAX_ROUNDS: Final = 200
"""So many finished rounds are kept of a session's table: the newest."""

MAX_RESULTS: Final = 1_000
"""So many results are kept of a deal: the first."""

ESTABLISHED: Final = 10
"""From so many saves on a session is never dropped before its time, however full the store is."""

DEALS_SHARE: Final = 4
"""Deals and their results may take one part in so many of a store's limit."""

ROW_OVERHEAD: Final = 200
"""About so many bytes a deal or a result takes besides its own."""


class VersionedBlob(NamedTuple):
    """A session as it lies in the store: its version, from 1, and its bytes.

    Version 0 and no bytes stand for something that is no session at all; a save that has read 0
    writes a new one in its place.
    """

    version: int
    data: bytes


class NewRound(NamedTuple):
    """A finished round that is to be kept beside a session; the store gives it its number."""

    game: str
    """The table's slug."""

    data: bytes


class Round(NamedTuple):
    """A finished round as it is kept beside its session."""

    game: str
    number: int
    """Counts up within a session's table, and is never used again."""

    data: bytes


class Result(NamedTuple):
    """What one player has made of a deal that many play."""

    deal: str
    player: str
    data: bytes


class Store(Protocol):
    """What the sessions need of a store.

    All of it raises :class:`StoreUnavailable` when the store does not answer.
    """

    def load(self, sid: str) -> VersionedBlob | None:
        """Return a session that has not expired."""

    def save(self, sid: str, version: int, data: bytes, finished: Sequence[NewRound] = ()) -> bool:
        """Write ``version + 1`` if ``version`` is what the store holds; 0 is a new session.

        Finished rounds are written in the same moment, or nothing is. Each has the number after the
        newest that its table ever had, and drops those that are 200 or more older; what is there
        already is never replaced.

        Returns whether it was written: False when somebody else has saved meanwhile.

        Raises:
            StoreFull: it is a new session, and there is no room for one.
        """

    def renew(self, sid: str) -> None:
        """Let a session live as long as after a move, though nothing of it changes."""

    def delete(self, sid: str) -> None:
        """Forget a session and its rounds."""

    def rounds(self, sid: str, game: str) -> tuple[Round, ...]:
        """Return the rounds kept of a session's table, the newest first."""

    def round(self, sid: str, game: str, number: int) -> Round | None:
        """Return one round, if it is kept."""

    def amend_rounds(self, sid: str, changes: Sequence[tuple[Round, bytes]]) -> None:
        """Give rounds of one table other bytes, but for those that are not as they were read."""

    def keep_deal(self, deal: str, data: bytes, *, established: bool = True) -> bool:
        """Keep a deal for as long as a session is idle; return False if its id is taken.

        Args:
            deal: its id.
            data: what is kept of it.
            established: whether its maker has played for a while; others find the store full
                when half of what deals may take is taken.

        Raises:
            StoreFull: there is no room for it.
        """

    def deal(self, deal: str) -> bytes | None:
        """Return what was kept of a deal that has not expired."""

    def add_result(self, result: Result) -> None:
        """Keep a player's result of a deal, however often it is added.

        Of a player's results the first counts, of a deal's the first thousand; one that comes too
        late, for a deal that is gone, or when there is no room, is left out.
        """

    def results(self, deal: str) -> tuple[Result, ...]:
        """Return the results of a deal, in the order they came."""

    def note_key(self, fingerprint: str) -> None:
        """Remember that a signing key is in use."""

    def keys(self) -> frozenset[str]:
        """Return the fingerprints of the signing keys used in the last two weeks."""

    def check_read(self) -> None:
        """Return if the store answers."""

    def check_write(self) -> None:
        """Return if the store takes a write."""

    def size(self) -> int:
        """Return how many bytes the store takes."""

    def count(self) -> int:
        """Return how many sessions there are."""

    def purge(self) -> int:
        """Delete some expired sessions and deals; return how many, 0 when none are left."""

    def iter_sessions(self) -> Iterator[tuple[str, VersionedBlob]]:
        """Return every session that has not expired, by its id."""

    def close(self) -> None:
        """Hang up; whoever asks again is connected anew."""

    def faults(self) -> str:
        """Return what is wrong with the store in words, or nothing."""
