"""The client of a Redis: it names faults, and lets nobody wait twice for a server that hangs."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import sha1
from typing import Any, Final, NoReturn, TypeVar

import redis
from redis.cluster import RedisCluster
from redis.exceptions import NoScriptError, RedisClusterException

from web.storage.breaker import SLOW, Breaker
from web.storage.redis_servers import connector
from web.storage.store import StoreUnavailable

Answer = TypeVar("Answer")

_FAULTS: Final = (redis.RedisError, RedisClusterException, OSError)
"""What redis-py raises for a server that is away, hangs or refuses."""


class RedisClient:
    """redis-py's client, connected when it is first needed, and a breaker for each server."""

    def __init__(self, address: str, prelude: str = "") -> None:
        """Prepare to connect.

        Args:
            address: where Redis is (:mod:`web.storage.redis_servers`).
            prelude: the Lua that stands before every script.

        Raises:
            ValueError: the address is none of a Redis.
        """
        self._connect = connector(address)
        self._prelude = prelude
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

    def asking(self, key: str | bytes = "") -> "_Asking":
        """Lend redis-py's client to ask for a key, or for what no key has.

        Raises:
            StoreUnavailable: Redis is away, hangs or refuses.
        """
        return _Asking(self, self._server_of(key))

    def run(self, script: str, key: str | bytes, *words: Any) -> Any:
        """Run a script on the one key that it touches, and return what it returns."""
        with self.asking(key) as client:
            try:
                return client.evalsha(_digest(self._prelude, script), 1, key, *words)
            except NoScriptError:  # a server that does not know it yet: a promoted replica, say
                return client.eval(self._prelude + script, 1, key, *words)

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
                with _Asking(self, name):
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

    def breaker_of(self, server: str) -> Breaker:
        """Return what stands before a server."""
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


class _Asking:
    """Asks a server, or without a name whichever it is, if it is not known to hang.

    A class and no generator, since every request comes by here.
    """

    def __init__(self, client: RedisClient, server: str) -> None:
        self._client = client
        self._breaker = client.breaker_of(server)
        self._began = 0.0

    def __enter__(self) -> Any:
        self._breaker.check()
        self._began = time.monotonic()
        try:
            return self._client.redis
        except _FAULTS as error:
            self._tell(error)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, _FAULTS):
            self._tell(error)

    def _tell(self, error: Exception) -> NoReturn:
        if time.monotonic() - self._began > SLOW:
            self._breaker.trip()
        raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error


@cache
def _digest(prelude: str, script: str) -> str:
    """Return by what Redis knows a script."""
    return sha1(f"{prelude}{script}".encode(), usedforsecurity=False).hexdigest()
