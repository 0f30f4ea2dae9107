"""The client of a Redis: it names faults, and lets nobody wait twice for a server that hangs."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from hashlib import sha1
from typing import Any, TypeVar

import redis
from redis.cluster import RedisCluster
from redis.exceptions import NoScriptError, RedisClusterException

from web.storage.breaker import SLOW, Breaker
from web.storage.protocol import StoreUnavailable
from web.storage.redis_servers import connector

Answer = TypeVar("Answer")


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

    def close(self) -> None:
        """Close the connections, if any were opened."""
        with self._lock:
            if self._redis is not None:
                self._redis.close()
                self._redis = None

    @contextmanager
    def asking(self, key: str | bytes = "") -> Iterator[Any]:
        """Lend redis-py's client to ask for a key, or for what no key has.

        Raises:
            StoreUnavailable: Redis is away, hangs or refuses.
        """
        with self._guarded(self._server_of(key)):
            yield self.redis

    def run(self, script: str, key: str | bytes, *words: Any) -> Any:
        """Run a script on the one key that it touches, and return what it returns."""
        with self.asking(key) as client:
            try:
                return client.evalsha(_digest(script), 1, key, *words)
            except NoScriptError:  # a server that does not know it yet: a promoted replica, say
                return client.eval(script, 1, key, *words)

    def infos(self, section: str) -> list[dict[str, Any]]:
        """Return what each server that takes writes, and answers, says of itself."""
        return [*self._each_server(lambda server: server.info(section))]

    def random_key(self) -> bytes:
        """Return any key there is; nothing where there is none."""
        key: bytes | None = next(self._each_server(lambda server: server.randomkey()))
        return key or b""

    def ping(self) -> None:
        """Return if Redis answers: of a cluster, any server of it."""
        next(self._each_server(lambda server: server.ping()))

    def _each_server(self, ask: Callable[[Any], Answer]) -> Iterator[Answer]:
        """Yield what each server that takes writes answers, in random order, but for those away.

        Raises:
            StoreUnavailable: all are.
        """
        servers = self._servers()
        problem = StoreUnavailable("Redis: no server of the cluster is known.")
        answered = False
        for name, server in random.sample(servers, len(servers)):
            try:
                with self._guarded(name):
                    answer = ask(server)
            except StoreUnavailable as error:
                problem = error
            else:
                answered = True
                yield answer
        if not answered:
            raise problem

    def _servers(self) -> list[tuple[str, Any]]:
        """Return a client of each server that takes writes, by its name where there are several."""
        with self.asking() as client:
            if not isinstance(client, RedisCluster):
                return [("", client)]
            nodes: list[Any] = client.get_primaries()  # type: ignore[no-untyped-call]
            return [(node.name, node.redis_connection) for node in nodes]

    def _server_of(self, key: str | bytes) -> str:
        """Return which server of a cluster has a key: one may be away alone. Elsewhere no name."""
        if not key or not isinstance(self._redis, RedisCluster):
            return ""
        try:
            node: Any = self._redis.get_node_from_key(key)  # type: ignore[no-untyped-call]
        except RedisClusterException:  # nobody has it just now: the call itself looks again
            return ""
        name: str = node.name
        return name

    @contextmanager
    def _guarded(self, server: str) -> Iterator[None]:
        """Ask a server, or without a name whichever it is, if it is not known to hang."""
        breaker = self._breaker_of(server)
        breaker.check()
        began = time.monotonic()
        try:
            yield
        except (redis.RedisError, RedisClusterException, OSError) as error:
            if time.monotonic() - began > SLOW:
                breaker.trip()
            raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error

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


@cache
def _digest(script: str) -> str:
    """Return by what Redis knows a script."""
    return sha1(script.encode(), usedforsecurity=False).hexdigest()
