"""The client of a Redis: one server, a cluster, or a primary that sentinels know.

========================================  ==================================================
``redis://host:6379/0``                   one server; ``rediss://`` with TLS, ``unix://`` a socket
``redis+cluster://host:6379,host:6380``   Redis Cluster, any of its servers
``redis+sentinel://host:26379,…/service`` the primary that these sentinels name
========================================  ==================================================

``rediss+cluster://`` and ``rediss+sentinel://`` use TLS. A name and a password stand before the
first host as usual; a sentinel's own are ``?sentinel_username=`` and ``?sentinel_password=``.

redis-py's own clients do the work. They send nothing twice: whether a write whose answer was lost
has counted is left to the revisions that it names, and to the move's step.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from hashlib import sha1
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import NoScriptError, RedisClusterException
from redis.retry import Retry
from redis.sentinel import Sentinel

from web.storage.breaker import SLOW, Breaker
from web.storage.store import StoreUnavailable

Answer = TypeVar("Answer")

_LIMITS: Final[dict[str, Any]] = {"socket_connect_timeout": 0.5, "socket_timeout": 1.0}
"""In seconds: a worker that waits for Redis does nothing else meanwhile."""

_SENTINEL_LIMITS: Final = dict.fromkeys(_LIMITS, 0.3)
"""The same for a sentinel, of which one after the other may be asked."""

_FAULTS: Final = (redis.RedisError, RedisClusterException, OSError)
"""What redis-py raises for a server that is away, hangs or refuses."""


class RedisClient:
    """redis-py's client, connected when it is first needed, and a breaker for each server."""

    def __init__(self, address: str, prelude: str = "") -> None:
        """Prepare to connect; raise ValueError where the address is none of a Redis."""
        self._connect = _connector(address)
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

    def asking(self, key: str | bytes = "") -> Any:
        """Lend redis-py's client to ask for a key, or for what no key has.

        Raises:
            StoreUnavailable: Redis is away, hangs or refuses.
        """
        return self._asking(self._server_of(key))

    def run(self, script: str, key: str | bytes, *words: Any) -> Any:
        """Run a script on the one key that it touches, and return what it returns."""
        with self.asking(key) as client:
            try:
                return client.evalsha(_digest(self._prelude + script), 1, key, *words)
            except NoScriptError:  # a server that does not know it yet: a promoted replica, say
                return client.eval(self._prelude + script, 1, key, *words)

    def infos(self, section: str) -> list[dict[str, Any]]:
        """Return what each server that takes writes, and answers, says of itself."""
        return [*self.each_server(lambda server: server.info(section))]

    def each_server(self, ask: Callable[[Any], Answer]) -> Iterator[Answer]:
        """Yield what each server that takes writes answers, in random order, but for those away.

        Raises:
            StoreUnavailable: all are.
        """
        servers = self._servers()
        problem = StoreUnavailable("Redis: no server of the cluster is known.")
        answered = False
        for name, server in random.sample(servers, len(servers)):
            try:
                with self._asking(name):
                    answer = ask(server)
            except StoreUnavailable as error:
                problem = error
            else:
                answered = True
                yield answer
        if not answered:
            raise problem

    @contextmanager
    def _asking(self, server: str) -> Iterator[Any]:
        """Ask a server, or without a name whichever it is, if it is not known to hang."""
        breaker = self._breaker_of(server)
        breaker.check()
        began = time.monotonic()
        try:
            yield self.redis
        except _FAULTS as error:
            if time.monotonic() - began > SLOW:
                breaker.trip()
            raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error

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
        return str(node.name)

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


def _connector(address: str) -> Callable[[], Any]:
    """Return what connects to an address; raise ValueError where it is none of a Redis."""
    once = Retry(NoBackoff(), 0)
    kind = address.partition("://")[0].partition("+")[2]
    if not kind:
        client = redis.Redis.from_url(address, retry=once, **_LIMITS)
        return lambda: client
    parts = urlsplit(address)
    user, at, names = parts.netloc.rpartition("@")
    found = [urlsplit(f"//{name}") for name in names.split(",")]
    if not all(host.hostname for host in found):
        raise ValueError("it names no host")
    usual = 6379 if kind == "cluster" else 26379
    hosts = [(str(host.hostname), host.port or usual) for host in found]
    name, _, password = user.partition(":")
    options: dict[str, Any] = {"ssl": True} if parts.scheme.startswith("rediss") else {}
    if at:
        options |= {"username": unquote(name) or None, "password": unquote(password) or None}
    options |= {**_LIMITS, "retry": once}
    asked = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if unknown := asked.keys() - {"sentinel_username", "sentinel_password"}:
        raise ValueError(f"nothing is known of {', '.join(sorted(unknown))}")
    path = parts.path.strip("/")
    if kind == "cluster":
        if path not in ("", "0"):
            raise ValueError("a cluster has no other database than 0")
        nodes = [ClusterNode(*host) for host in hosts]  # type: ignore[no-untyped-call]
        # Part of it may be away: each player's part is asked.
        return partial(RedisCluster, startup_nodes=nodes, require_full_coverage=False, **options)
    service, _, database = path.partition("/")
    if not service or not (database or "0").isdigit():
        raise ValueError("behind the sentinels belongs /service, or /service/database")
    own: dict[str, Any] = {**_SENTINEL_LIMITS, "retry": once}
    own |= {key.removeprefix("sentinel_"): value for key, value in asked.items()}
    sentinel = Sentinel(hosts, sentinel_kwargs=own)  # type: ignore[no-untyped-call]
    return partial(sentinel.master_for, service, db=int(database or 0), **options)
