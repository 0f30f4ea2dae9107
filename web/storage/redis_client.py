"""The client of a Redis: one server, a cluster, or a primary that sentinels know.

========================================  ==================================================
``redis://host:6379/0``                   one server; ``rediss://`` with TLS, ``unix://`` a socket
``redis+cluster://host:6379,host:6380``   Redis Cluster, any of its servers
``redis+sentinel://host:26379,…/service`` the primary that these sentinels name
========================================  ==================================================

What else an address may say is what redis-py's ``from_url()`` reads; a sentinel's own name and
password are ``?sentinel_username=`` and ``?sentinel_password=``. redis-py's clients do the work.
They send nothing twice: whether a write whose answer was lost has counted is left to the revisions
that it names, and to the move's step.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from hashlib import sha1
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import parse_url
from redis.exceptions import NoScriptError, RedisClusterException
from redis.retry import Retry
from redis.sentinel import Sentinel

from web.storage.breaker import SLOW, Breaker
from web.storage.store import StoreUnavailable

Answer = TypeVar("Answer")

_OPTIONS: Final = {
    "socket_connect_timeout": 0.5,
    "socket_timeout": 1.0,
    "retry": Retry(NoBackoff(), 0),
}
"""Timeouts in seconds: a worker that waits for Redis does nothing else meanwhile."""

_SENTINEL_TIMEOUT: Final = 0.3  # the same for a sentinel, of which one after the other may be asked

# redis-py has no types for its clusters and sentinels: hence the ignored calls below.
_FAULTS: Final = (redis.RedisError, RedisClusterException, OSError)
"""What redis-py raises for a server that is away, hangs or refuses."""


class RedisClient:
    """redis-py's client, connected when it is first needed, and a breaker for each server."""

    def __init__(self, address: str) -> None:
        """Prepare to connect; raise ValueError where the address is not that of a Redis."""
        self._connect = _connector(address)
        self._redis: Any = None
        self._breakers: dict[str, Breaker] = {}

    @property
    def redis(self) -> Any:
        """redis-py's own client."""
        if self._redis is None:
            self._redis = self._connect()
        return self._redis

    def close(self) -> None:
        """Close the connections, if any were opened."""
        if self._redis is not None:
            self._redis.close()
            self._redis = None

    def ask(self, key: str | bytes, question: Callable[[Any], Answer]) -> Answer:
        """Return what redis-py's client answers to a question about a key, or about no key.

        Raises:
            StoreUnavailable: Redis is away, hangs or refuses.
        """
        return self._ask(self._server_of(key), question)

    def run(self, script: str, key: str | bytes, *words: Any) -> Any:
        """Run a script on the one key that it touches, and return what it returns."""

        def question(client: Any) -> Any:
            try:
                return client.evalsha(_digest(script), 1, key, *words)
            except NoScriptError:  # a server that does not know it yet: a promoted replica, say
                return client.eval(script, 1, key, *words)

        return self.ask(key, question)

    def each_server(self, question: Callable[[Any], Answer]) -> Iterator[Answer]:
        """Yield what each server that takes writes answers, in random order, but for those away.

        Raises:
            StoreUnavailable: all are.
        """
        servers = self.ask("", _servers)
        problem: StoreUnavailable | None = StoreUnavailable("Redis: the cluster has no server.")
        for name, server in random.sample(servers, len(servers)):
            try:
                yield self._ask(name, question, server)
                problem = None
            except StoreUnavailable as error:
                problem = problem and error
        if problem:
            raise problem

    def _ask(self, name: str, question: Callable[[Any], Answer], server: Any = None) -> Answer:
        """Ask a server, if it is not known to hang; without a name, whichever it is."""
        breaker = self._breakers.get(name)
        if breaker is None:
            new = Breaker(f"Redis {name}".strip(), partial(self._ping, name))
            breaker = self._breakers.setdefault(name, new)
        breaker.check()
        began = time.monotonic()
        try:
            return question(self.redis if server is None else server)
        except _FAULTS as error:
            if time.monotonic() - began > SLOW:
                breaker.trip()
            raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error

    def _server_of(self, key: str | bytes) -> str:
        """Return which server of a cluster has a key: one may be away alone. Elsewhere no name."""
        if key and isinstance(self._redis, RedisCluster):
            with suppress(RedisClusterException):  # nobody has it now: the call itself looks again
                node: Any = self._redis.get_node_from_key(key)  # type: ignore[no-untyped-call]
                return str(node.name)
        return ""

    def _ping(self, name: str) -> None:
        """Return if a server answers; learn who serves in its place if it does not."""
        if not name:
            self.redis.ping()
            return
        try:
            self.redis.get_node(node_name=name).redis_connection.ping()
        except redis.RedisError:
            self.redis.nodes_manager.initialize(last_failed_node_name=name)
            raise


def _servers(client: Any) -> list[tuple[str, Any]]:
    """Return a client of each server that takes writes, by its name where there are several."""
    if not isinstance(client, RedisCluster):
        return [("", client)]
    nodes: list[Any] = client.get_primaries()  # type: ignore[no-untyped-call]
    return [(node.name, node.redis_connection) for node in nodes]


@cache
def _digest(script: str) -> str:
    return sha1(script.encode(), usedforsecurity=False).hexdigest()


def _connector(address: str) -> Callable[[], Any]:
    """Return what connects to an address; raise ValueError where it is not that of a Redis."""
    parts = urlsplit(address)
    scheme, _, kind = parts.scheme.partition("+")
    if not kind:
        client = redis.Redis.from_url(address, **_OPTIONS)
        return lambda: client
    login, at, names = parts.netloc.rpartition("@")
    urls = [f"redis://{login}{at}{name}?{parts.query}" for name in names.split(",")]
    found: list[Any] = [parse_url(url) for url in urls]  # type: ignore[no-untyped-call]
    if not all("host" in one for one in found):
        raise ValueError("it names no host")
    usual = 6379 if kind == "cluster" else 26379
    hosts = [(str(one["host"]), int(one.get("port", usual))) for one in found]
    asked: dict[str, Any] = {key: found[0][key] for key in found[0] if key not in ("host", "port")}
    own = {key: asked.pop(f"sentinel_{key}", None) for key in ("username", "password")}
    if unknown := asked.keys() - own.keys():
        raise ValueError(f"nothing is known of {', '.join(sorted(unknown))}")
    options = {**_OPTIONS, **asked, **({"ssl": True} if scheme == "rediss" else {})}
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
    timeouts = dict.fromkeys(("socket_connect_timeout", "socket_timeout"), _SENTINEL_TIMEOUT)
    sentinel = Sentinel(hosts, sentinel_kwargs={**_OPTIONS, **timeouts, **own})  # type: ignore[no-untyped-call]
    return partial(sentinel.master_for, service, db=int(database or 0), **options)
