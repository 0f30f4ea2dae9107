"""How a Redis is reached: one server, a cluster, or a primary that sentinels know.

========================================  ==================================================
``redis://host:6379/0``                   one server; ``rediss://`` with TLS, ``unix://`` a socket
``redis+cluster://host:6379,host:6380``   Redis Cluster, any of its servers
``redis+sentinel://host:26379,…/service`` the primary that these sentinels name
========================================  ==================================================

``rediss+cluster://`` and ``rediss+sentinel://`` use TLS. A name and a password stand before the
first host as usual; a sentinel's own are ``?sentinel_username=`` and ``?sentinel_password=``.

redis-py's own clients do the work. They send nothing twice: whether a write whose answer was lost
has counted is left to the version that it names, and to the move's step.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.retry import Retry
from redis.sentinel import Sentinel

_CONNECTS_WITHIN: Final = 0.5
_ANSWERS_WITHIN: Final = 1.0
"""In seconds: a worker that waits for Redis does nothing else meanwhile."""

_SENTINEL_ANSWERS_WITHIN: Final = 0.3
"""The same of a sentinel, of which one after the other may be asked."""

_LIMITS: Final[dict[str, Any]] = {
    "socket_connect_timeout": _CONNECTS_WITHIN,
    "socket_timeout": _ANSWERS_WITHIN,
}

_PORTS: Final = {"cluster": 6379, "sentinel": 26379}


class Servers(NamedTuple):
    """What an address of several servers says."""

    hosts: list[tuple[str, int]]
    path: str
    options: Mapping[str, Any]
    """How to log on to each, and whether with TLS."""

    sentinel_options: Mapping[str, Any]


def connector(address: str) -> Callable[[], Any]:
    """Return what connects to an address; a Redis that is away is no reason not to start.

    Raises:
        ValueError: it is no address of a Redis.
    """
    scheme = address.partition("://")[0]
    match scheme.partition("+")[2]:
        case "cluster":
            servers = _servers(address, _PORTS["cluster"])
            if servers.path not in ("", "0"):
                raise ValueError("a cluster has no other database than 0")
            return lambda: _cluster(servers)
        case "sentinel":
            servers = _servers(address, _PORTS["sentinel"])
            service, _, database = servers.path.partition("/")
            if not service or not (database or "0").isdigit():
                raise ValueError("behind the sentinels belongs /service, or /service/database")
            return lambda: _primary(servers, service, int(database or 0))
    client = redis.Redis.from_url(address, retry=Retry(NoBackoff(), 0), **_LIMITS)
    return lambda: client


def _cluster(servers: Servers) -> Any:
    """Return a client of a cluster; part of it may be away, and each player's part is asked."""
    nodes = [ClusterNode(*host) for host in servers.hosts]  # type: ignore[no-untyped-call]
    return RedisCluster(
        startup_nodes=nodes,
        require_full_coverage=False,
        retry=Retry(NoBackoff(), 0),
        **_LIMITS,
        **servers.options,
    )


def _primary(servers: Servers, service: str, database: int) -> Any:
    """Return a client of whichever server the sentinels call the primary, at each connection."""
    limits = dict.fromkeys(_LIMITS, _SENTINEL_ANSWERS_WITHIN)
    sentinel = Sentinel(  # type: ignore[no-untyped-call]
        servers.hosts,
        sentinel_kwargs={**servers.sentinel_options, **limits, "retry": Retry(NoBackoff(), 0)},
    )
    return sentinel.master_for(  # type: ignore[no-untyped-call]
        service, db=database, retry=Retry(NoBackoff(), 0), **_LIMITS, **servers.options
    )


def _servers(address: str, port: int) -> Servers:
    """Read an address with several hosts.

    Raises:
        ValueError: it makes no sense.
    """
    parts = urlsplit(address)
    user, at, hosts = parts.netloc.rpartition("@")
    found = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if not all(host.hostname for host in found):
        raise ValueError("it names no host")
    name, _, password = user.partition(":")
    options: dict[str, Any] = {"ssl": True} if parts.scheme.startswith("rediss") else {}
    if at:
        options |= {"username": unquote(name) or None, "password": unquote(password) or None}
    asked = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if unknown := asked.keys() - {"sentinel_username", "sentinel_password"}:
        raise ValueError(f"nothing is known of {', '.join(sorted(unknown))}")
    return Servers(
        hosts=[(str(host.hostname), host.port or port) for host in found],
        path=parts.path.strip("/"),
        options=options,
        sentinel_options={key.removeprefix("sentinel_"): value for key, value in asked.items()},
    )
