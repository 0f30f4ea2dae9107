"""Sessions in Redis, for several machines behind one proxy: one server, a cluster, or sentinels.

A session is a Redis hash of its version, its bytes and its rounds. Compare-and-set is a script,
which Redis runs alone; expiry is Redis's own. A deal is a hash too: its bytes in ``data``, and a
field for each player's result, which begins with its place in the order they came. Each script
touches one key, so in a cluster one player is on one server, and one deal.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import redis

from web.storage import redis_scripts as scripts
from web.storage.protocol import (
    DEALS_SHARE,
    LIFETIME,
    ROW_OVERHEAD,
    NewRound,
    Result,
    Round,
    StoreFull,
    StoreUnavailable,
    VersionedBlob,
)
from web.storage.redis_client import RedisClient

_PREFIX: Final = "cardgames:"
_DEALS: Final = "cardgames-deal:"
_DEAL_BYTES: Final = "cardgames-deal-bytes"
_KEYS: Final = "cardgames-keys"
_PROBE: Final = "cardgames-probe"
_OF: Final = b"of:"
"""How the field of a player's result begins."""

_DAY: Final = 86_400

_LEFT: Final = 600
"""A new session must have been left for so many seconds to give way to another, when full."""

_GLANCES: Final = 20
"""So many keys are looked at for one that can give way."""

_SIZE_HOLDS: Final = 1.0
"""For so many seconds what Redis has said of its memory is believed."""

_ROOM: Final = 0.9
"""Which part of Redis's own ``maxmemory`` counts as full: who plays already needs some."""


class RedisStore:
    """Sessions in a Redis that the workers of all machines share."""

    def __init__(self, address: str, limit: int = 0) -> None:
        """Prepare to connect. A Redis that is away is no reason not to start: it comes back.

        Args:
            address: where it is (:mod:`web.storage.redis_servers`).
            limit: how many bytes of memory it may take before it counts as full; 0 for any number.

        Raises:
            ValueError: the address is none of a Redis.
        """
        self._limit = limit
        self._client = RedisClient(address, scripts.SHARED)
        self._measured = (0.0, 0, 0)

    @property
    def redis(self) -> Any:
        """redis-py's own client."""
        return self._client.redis

    # ---- Sessions ----------------------------------------------------------------------------

    def load(self, sid: str) -> VersionedBlob | None:
        """Return a session that has not expired."""
        key = _PREFIX + sid
        with self._client.asking(key) as client:
            try:
                version, data = client.hmget(key, "version", "data")
            except redis.ResponseError as error:
                _require_wrong_type(error)
                return VersionedBlob(0, b"")
        if version is None and data is None:
            return None
        if version is None or not version.isdigit():
            return VersionedBlob(0, b"")
        return VersionedBlob(int(version), data or b"")

    def save(self, sid: str, version: int, data: bytes, finished: Sequence[NewRound] = ()) -> bool:
        """Compare and set, in one script that Redis runs alone."""
        if not version:
            self._make_room()
        words: list[str | int | bytes] = [version, version + 1, data]
        for one in finished:
            words += [one.game, one.data]
        return bool(self._client.run(scripts.SAVE, _PREFIX + sid, *words))

    def renew(self, sid: str) -> None:
        """Let a session live as long as after a move."""
        with self._client.asking(_PREFIX + sid) as client:
            client.expire(_PREFIX + sid, LIFETIME)

    def delete(self, sid: str) -> None:
        """Forget a session, and its rounds with it."""
        with self._client.asking(_PREFIX + sid) as client:
            client.delete(_PREFIX + sid)

    def count(self) -> int:
        """Return how many sessions there are."""
        with self._client.asking() as client:
            return len(set(_keys(client)))  # a scan may name a key twice

    def iter_sessions(self) -> Iterator[tuple[str, VersionedBlob]]:
        """Return every session, by its id; one that is played meanwhile may come out twice."""
        with self._client.asking() as client:
            for key in _keys(client):
                with suppress(UnicodeDecodeError):  # none of ours
                    sid = key.decode().removeprefix(_PREFIX)
                    if saved := self.load(sid):
                        yield sid, saved

    def _make_room(self) -> None:
        """Drop a new session that was left for a while, if Redis is full.

        Raises:
            StoreFull: none was found.
        """
        if not self._is_full():
            return
        for _ in range(_GLANCES):
            key = self._client.random_key()
            ours = key.startswith(_PREFIX.encode())
            if ours and self._client.run(scripts.DROP_NEW, key, _LEFT):
                return
        raise StoreFull

    def _is_full(self) -> bool:
        """Say whether Redis takes as much memory as it may, or nearly as much as it can."""
        at, used, most = self._measured
        if time.monotonic() - at > _SIZE_HOLDS:
            memory = self._client.infos("memory")
            used = sum(map(_taken, memory))
            most = int(sum(int(one.get("maxmemory", 0)) for one in memory) * _ROOM)
            self._measured = time.monotonic(), used, most
        return any(limit and used >= limit for limit in (self._limit, most))

    # ---- Finished rounds ---------------------------------------------------------------------

    def rounds(self, sid: str, game: str) -> tuple[Round, ...]:
        """Return the rounds kept of a session's table, the newest first."""
        found = self._client.run(scripts.ROUNDS, _PREFIX + sid, game)
        return tuple(Round(game, number, data) for number, data in found)

    def round(self, sid: str, game: str, number: int) -> Round | None:
        """Return one round, if it is kept."""
        found = self._client.run(scripts.ROUNDS, _PREFIX + sid, game, number)
        return Round(game, *found[0]) if found else None

    def amend_rounds(self, sid: str, changes: Sequence[tuple[Round, bytes]]) -> None:
        """Give rounds other bytes, but for those that are not as they were read."""
        if changes:
            words = [word for old, data in changes for word in (old.number, old.data, data)]
            self._client.run(scripts.AMEND, _PREFIX + sid, changes[0][0].game, *words)

    # ---- Deals -------------------------------------------------------------------------------

    def keep_deal(self, deal: str, data: bytes, *, established: bool = True) -> bool:
        """Keep a deal for as long as a session is idle; return False if its id is taken."""
        size = len(data) + ROW_OVERHEAD
        if self._is_full() or not self._has_room_for(size, share=1 if established else 2):
            raise StoreFull
        kept = bool(self._client.run(scripts.KEEP_DEAL, _DEALS + deal, data))
        self._count_deal_bytes(size)
        return kept

    def deal(self, deal: str) -> bytes | None:
        """Return what was kept of a deal that has not expired."""
        key = _DEALS + deal
        with self._client.asking(key) as client:
            try:
                data: bytes | None = client.hget(key, "data")
            except redis.ResponseError as error:
                _require_wrong_type(error)
                return None
        return data

    def add_result(self, result: Result) -> None:
        """Keep the next result of a deal, unless its player has one already."""
        size = len(result.data) + ROW_OVERHEAD
        if self._has_room_for(size):
            field = _OF + result.player.encode()
            if self._client.run(scripts.ADD_RESULT, _DEALS + result.deal, field, result.data):
                self._count_deal_bytes(size)

    def results(self, deal: str) -> tuple[Result, ...]:
        """Return the results of a deal, in the order they came; what cannot be read is left out."""
        key = _DEALS + deal
        with self._client.asking(key) as client:
            try:
                fields: dict[bytes, bytes] = client.hgetall(key)
            except redis.ResponseError as error:
                _require_wrong_type(error)
                return ()
        found = {}
        for field, value in fields.items():
            place, colon, data = value.partition(b":")
            if field.startswith(_OF) and colon and place.isdigit():
                with suppress(UnicodeDecodeError):
                    player = field.removeprefix(_OF).decode()
                    found[int(place), player] = Result(deal, player, data)
        return tuple(found[place] for place in sorted(found))

    def _has_room_for(self, size: int, share: int = 1) -> bool:
        """Say whether deals may take so many bytes more, of one part in ``share`` of theirs."""
        if not self._limit:
            return True
        with self._client.asking(_DEAL_BYTES) as client:
            days = _numbers(client.hgetall(_DEAL_BYTES))
        oldest = _today() - LIFETIME // _DAY
        taken = sum(size for day, size in days.items() if day.isdigit() and int(day) > oldest)
        return taken + size <= self._limit // DEALS_SHARE // share

    def _count_deal_bytes(self, size: int) -> None:
        with suppress(StoreUnavailable), self._client.asking(_DEAL_BYTES) as client:
            if client.hincrby(_DEAL_BYTES, _today(), size) == size:  # the first of a day
                client.hdel(_DEAL_BYTES, _today() - LIFETIME // _DAY)
                client.expire(_DEAL_BYTES, LIFETIME)

    # ---- The store itself --------------------------------------------------------------------

    def note_key(self, fingerprint: str) -> None:
        """Remember that a signing key is in use."""
        with self._client.asking(_KEYS) as client:
            client.hset(_KEYS, fingerprint, int(time.time()))
            client.expire(_KEYS, LIFETIME)

    def keys(self) -> frozenset[str]:
        """Return the fingerprints of the signing keys used in the last two weeks."""
        with self._client.asking(_KEYS) as client:
            found = _numbers(client.hgetall(_KEYS))
        oldest = int(time.time()) - LIFETIME
        return frozenset(key for key, seen in found.items() if seen >= oldest)

    def purge(self) -> int:
        """Delete nothing: Redis drops a session when its time is over."""
        return 0

    def check_read(self) -> None:
        """Return if Redis answers: of a cluster, any of its servers."""
        self._client.ping()

    def check_write(self) -> None:
        """Write a key that expires at once; a Redis that is full or a replica refuses it."""
        with self._client.asking(_PROBE) as client:
            client.set(_PROBE, "", px=1)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def size(self) -> int:
        """Return how many bytes of memory Redis takes."""
        return sum(map(_taken, self._client.infos("memory")))

    def faults(self) -> str:
        """Return which of Redis's settings would lose sessions, or nothing."""
        infos = self._client.infos("everything")
        said = []
        if not all(info.get("aof_enabled") for info in infos):
            said.append("Redis may lose the last moves when it stops: set appendonly yes.")
        if any(info.get("maxmemory_policy") != "noeviction" for info in infos):
            said.append("Redis may drop tables when it is full: set maxmemory-policy noeviction.")
        return " ".join(said)


def _taken(memory: dict[str, Any]) -> int:
    """Return how many bytes a Redis takes, as it counts them itself against ``maxmemory``.

    What waits to be written to its file is not among them: behind a slow disk that is megabytes,
    and gone in a second.
    """
    return int(memory["used_memory"]) - int(memory.get("mem_not_counted_for_evict", 0))


def _keys(client: Any) -> Iterator[bytes]:
    keys: Iterator[bytes] = client.scan_iter(match=f"{_PREFIX}*", count=1_000)
    return keys


def _numbers(fields: dict[bytes, bytes]) -> dict[str, int]:
    """Return the fields of a hash that are numbers."""
    return {
        name.decode(errors="replace"): int(value)
        for name, value in fields.items()
        if value.isdigit()
    }


def _require_wrong_type(error: redis.ResponseError) -> None:
    """Raise an error that does not say that a key holds something else than ours."""
    if not str(error).startswith("WRONGTYPE"):
        raise error


def _today() -> int:
    return int(time.time()) // _DAY
