"""A Redis Cluster and a Redis behind sentinels, as one machine can hold them, on loopback ports."""

import secrets
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import redis

from tests.support.machines import Program, program
from tests.support.serving import free_port

NODE_TIMEOUT = 1_500
"""After so many milliseconds the others take a server for dead, and a replica steps in."""

SLOTS = 16_384


def wait_for(what: str, condition: Callable[[], bool]) -> None:
    """Wait for something that takes some seconds at most."""
    deadline = time.monotonic() + 120
    while True:
        with suppress(redis.RedisError):
            if condition():
                return
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def bus_port() -> int:
    """Return a port that is free, with the one of a cluster's bus ten thousand above it."""
    while True:
        port = 10_240 + secrets.randbelow(12_000)
        with suppress(OSError), ExitStack() as probes:
            for number in (port, port + 10_000):
                probe = probes.enter_context(closing(socket.socket()))
                probe.bind(("127.0.0.1", number))
            return port


class Node(Program):
    """One redis-server."""

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        here = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "")
        kept = ("--appendonly", "yes", "--maxmemory-policy", "noeviction")
        super().__init__(port, [program("redis-server"), *here, *kept, *options], folder)
        self.client: Any = redis.Redis(port=port, decode_responses=True, socket_timeout=5)

    def freeze(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)


class Cluster:
    """Three primaries, each with a replica or without."""

    def __init__(self, folder: Path, *, replicas: bool = True) -> None:
        options = (
            *("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"),
            *("--cluster-node-timeout", str(NODE_TIMEOUT)),
            *("--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0"),
        )
        count = 6 if replicas else 3
        self.nodes = [Node(folder / str(n), bus_port(), *options) for n in range(count)]
        self.address = "redis+cluster://" + ",".join(f"127.0.0.1:{n.port}" for n in self.nodes[:3])

    def __enter__(self) -> Self:
        for node in self.nodes:
            node.__enter__()
        primaries, replicas = self.nodes[:3], self.nodes[3:]
        for number, node in enumerate(primaries):
            first, last = SLOTS * number // 3, SLOTS * (number + 1) // 3 - 1
            node.client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            node.client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        for node in self.nodes[1:]:
            node.client.execute_command("CLUSTER MEET", "127.0.0.1", self.nodes[0].port)
        wait_for("all know all", lambda: all(self._knows(node) for node in self.nodes))
        for primary, replica in zip(primaries, replicas, strict=False):
            replica.client.execute_command("CLUSTER REPLICATE", _id(primary))
        wait_for("the cluster", lambda: all(self._is_well(node) for node in self.nodes))
        wait_for("replicas", lambda: all(_follows(node) for node in replicas))
        return self

    def __exit__(self, *_error: object) -> None:
        for node in self.nodes:
            node.thaw()
            node.stop(signal.SIGKILL)

    def primary_of(self, key: str) -> Node:
        """Return the server that takes writes of a key now."""
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                slot = node.client.execute_command("CLUSTER KEYSLOT", key)
                for first, last, primary, *_ in node.client.execute_command("CLUSTER SLOTS"):
                    if int(first) <= slot <= int(last):
                        return next(n for n in self.nodes if n.port == int(primary[1]))
        raise AssertionError(key)

    def _knows(self, node: Node) -> bool:
        return len(node.client.execute_command("CLUSTER NODES")) >= len(self.nodes)

    def _is_well(self, node: Node) -> bool:
        info = node.client.execute_command("CLUSTER INFO")
        return info["cluster_state"] == "ok" and int(info["cluster_slots_ok"]) == SLOTS


def _id(node: Node) -> str:
    found: str = node.client.execute_command("CLUSTER MYID")
    return found


def _follows(node: Node) -> bool:
    info = node.client.info("replication")
    return info["role"] == "slave" and info["master_link_status"] == "up"


@contextmanager
def sentinels(folder: Path, *, count: int = 3) -> Iterator[tuple[str, list[Node]]]:
    """Run a primary and a replica that sentinels watch; give the address, and the two servers."""
    first = Node(folder / "first", free_port(), "--repl-diskless-sync-delay", "0")
    follow = ("--replicaof", f"127.0.0.1 {first.port}", "--repl-diskless-sync-delay", "0")
    second = Node(folder / "second", free_port(), *follow)
    with ExitStack() as running:
        for node in (first, second):
            running.enter_context(node)
            running.callback(node.thaw)
        wait_for("the replica", lambda: _follows(second))
        ports = []
        for number in range(count):
            ports.append(free_port())
            running.enter_context(_sentinel(folder / f"sentinel{number}", ports[-1], first.port))
        clients = [redis.Redis(port=port, decode_responses=True) for port in ports]
        wait_for("the sentinels", lambda: all(_watches(client, count) for client in clients))
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        yield f"redis+sentinel://{hosts}/cards", [first, second]


def _sentinel(folder: Path, port: int, primary: int) -> Program:
    folder.mkdir(parents=True)
    (folder / "sentinel.conf").write_text(
        f"port {port}\nbind 127.0.0.1\ndir {folder}\n"
        f"sentinel monitor cards 127.0.0.1 {primary} 2\n"
        f"sentinel down-after-milliseconds cards {NODE_TIMEOUT}\n"
        "sentinel failover-timeout cards 5000\n"
    )
    command = [program("redis-server"), str(folder / "sentinel.conf"), "--sentinel"]
    return Program(port, command, folder)


def _watches(client: Any, count: int) -> bool:
    state = client.sentinel_master("cards")
    return int(state["num-slaves"]) == 1 and int(state["num-other-sentinels"]) == count - 1
