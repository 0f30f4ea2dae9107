"""The client of a Redis: it names faults, and lets nobody wait twice for a server that hangs."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from hashlib import sha1
from typing import Any

import redis
from redis.cluster import RedisCluster
from redis.exceptions import NoScriptError, RedisClusterException

from web.storage.breaker import SLOW, Breaker
from web.storage.protocol import StoreUnavailable
from web.storage.redis_servers import connector


class RedisClient:
    """redis-py's client, connected when it is first needed, and a breaker for each server."""

    def __init__(self, address: str) -> None:
        """Prepare to connect.

        Args:
            address: where Redis is (:mod:`web.storage.redis_servers`).

        Raises:
            ValueError: the address is none of a Redis.
        """
        self._connect = connector(address)
        self._redis: Any = None
        self._lock = threading.Lock()
        self._breakers: dict[str, Breaker] = {}

    @property
    def redis(self) -> Any:
        """redis-py's own client."""
        with self._lock:
            if self._redis is None:
                self._redis = self._connect()
            return self._redis

    @contextmanager
    def asking(self, key: str = "") -> Iterator[Any]:
        """Lend redis-py's client to ask for a key, or for what no key has.

        Raises:
            StoreUnavailable: Redis is away, hangs or refuses.
        """
        began = time.monotonic()
        breaker = self._breaker_of("")
        try:
            breaker.check()
            breaker = self._breaker_for(key)
            breaker.check()
            yield self.redis
        except (redis.RedisError, RedisClusterException, OSError) as error:
            if time.monotonic() - began > SLOW:
                breaker.trip()
            raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error

    def run(self, script: str, key: str, *words: Any) -> Any:
        """Run a script on the one key that it touches, and return what it returns."""
        with self.asking(key) as client:
            return evaluate(client, script, key, *words)

    def infos(self, section: str) -> list[dict[str, Any]]:
        """Return what each server that takes writes says of itself."""
        with self.asking() as client:
            if not isinstance(client, RedisCluster):
                return [client.info(section)]
            primaries: list[Any] = client.get_primaries()  # type: ignore[no-untyped-call]
            return [node.redis_connection.info(section) for node in primaries]

    def _breaker_for(self, key: str) -> Breaker:
        """Return the breaker of the server that has a key: of a cluster one may be away alone."""
        client = self.redis
        if key and isinstance(client, RedisCluster):
            node: Any = client.get_node_from_key(key)  # type: ignore[no-untyped-call]
            return self._breaker_of(node.name)
        return self._breaker_of("")

    def _breaker_of(self, server: str) -> Breaker:
        known = self._breakers.get(server)
        if known is None:
            ask = partial(self._ask, server)
            known = self._breakers.setdefault(server, Breaker(f"Redis {server}".strip(), ask))
        return known

    def _ask(self, server: str) -> None:
        """Return if a server answers; learn who serves in its place if it does not."""
        client = self.redis
        if not server:
            client.ping()
            return
        try:
            client.get_node(node_name=server).redis_connection.ping()
        except redis.RedisError:
            client.nodes_manager.initialize(last_failed_node_name=server)
            raise


def evaluate(client: Any, script: str, key: str | bytes, *words: Any) -> Any:
    """Run a script on a key; a server that does not know the script yet is sent the whole."""
    try:
        return client.evalsha(_digest(script), 1, key, *words)
    except NoScriptError:
        return client.eval(script, 1, key, *words)


@cache
def _digest(script: str) -> str:
    """Return by what Redis knows a script."""
    return sha1(script.encode(), usedforsecurity=False).hexdigest()
