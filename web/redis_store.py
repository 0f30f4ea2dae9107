"""Sessions in Redis, for several machines behind one proxy.

A session is a Redis hash of its version and its bytes. Compare-and-set is a script, which Redis
runs alone; expiry is Redis's own. Nothing is sent twice: whether a write whose answer was lost has
counted is left to the move's step, which plays it at most once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from web.store import LIFETIME, Saved, StoreUnavailable

_PREFIX: Final = "cardgames:"
_PROBE: Final = "cardgames-probe"

_CONNECTS_WITHIN: Final = 1.0
_ANSWERS_WITHIN: Final = 2.0
"""In seconds: a Redis that hangs must not hold every thread of a worker for long."""

_SAVE: Final = """
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'data', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
"""


class RedisStore:
    """Sessions in one Redis, shared by the workers of all machines."""

    def __init__(self, url: str) -> None:
        """Prepare to connect. A Redis that is away is no reason not to start: it comes back.

        Raises:
            ValueError: the URL is none of Redis.
        """
        self.redis: Any = redis.Redis.from_url(
            url,
            socket_connect_timeout=_CONNECTS_WITHIN,
            socket_timeout=_ANSWERS_WITHIN,
            retry=Retry(NoBackoff(), 0),
        )
        self._save = self.redis.register_script(_SAVE)

    def load(self, sid: str) -> Saved | None:
        """Return a session that has not expired."""
        with _faults_named():
            version, data = self.redis.hmget(_PREFIX + sid, "version", "data")
        return None if version is None else Saved(int(version), data)

    def save(self, sid: str, version: int, data: bytes) -> bool:
        """Compare and set, in one script that Redis runs alone."""
        with _faults_named():
            written = self._save([_PREFIX + sid], [version, version + 1, data, LIFETIME])
        return bool(written)

    def delete(self, sid: str) -> None:
        """Forget a session."""
        with _faults_named():
            self.redis.delete(_PREFIX + sid)

    def ping(self) -> None:
        """Return if Redis answers."""
        with _faults_named():
            self.redis.ping()

    def probe(self) -> None:
        """Write a key that expires at once; a Redis that is full or a replica refuses it."""
        with _faults_named():
            self.redis.set(_PROBE, "", px=1)

    def count(self) -> int:
        """Return how many sessions there are."""
        with _faults_named():
            return len(set(self._keys()))  # a scan may name a key twice

    def purge(self) -> int:
        """Delete nothing: Redis drops a session when its time is over."""
        return 0

    def each(self) -> Iterator[tuple[str, Saved]]:
        """Return every session, by its id; one that is played meanwhile may come out twice."""
        with _faults_named():
            for key in self._keys():
                sid = key.decode().removeprefix(_PREFIX)
                saved = self.load(sid)
                if saved:
                    yield sid, saved

    def faults(self) -> str:
        """Return which of Redis's settings would lose sessions, or nothing."""
        with _faults_named():
            info = self.redis.info()
        said = []
        if not info.get("aof_enabled"):
            said.append("Redis may lose the last moves when it stops: set appendonly yes.")
        if info.get("maxmemory_policy") != "noeviction":
            said.append("Redis may drop tables when it is full: set maxmemory-policy noeviction.")
        return " ".join(said)

    def _keys(self) -> Iterator[bytes]:
        keys: Iterator[bytes] = self.redis.scan_iter(match=f"{_PREFIX}*", count=1_000)
        return keys


@contextmanager
def _faults_named() -> Iterator[None]:
    """Turn a Redis that is away, hangs or refuses into StoreUnavailable."""
    try:
        yield
    except redis.RedisError as error:
        raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error
