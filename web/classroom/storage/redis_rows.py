"""What all that is kept of classes in Redis has in common: a class is one hash.

Beside the hashes there are queues, which name classes.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from web.storage.redis_client import RedisClient

Waiting = TypeVar("Waiting")


def class_key(code: str) -> str:
    """Return the key of a class; what is in braces decides the server of a cluster."""
    return f"cardgames-class:{{{code}}}"


class RedisRows:
    """Reads and writes the hashes of classes."""

    def __init__(self, client: RedisClient) -> None:
        """Keep them where a client leads."""
        self._client = client

    def _run(self, script: str, code: str, *words: Any) -> Any:
        """Run a script of ours (:mod:`.redis_scripts`) on a class, and return what it answers."""
        return self._client.run(script, class_key(code), *words)

    def _field(self, code: str, name: str) -> bytes:
        """Return a field of a class; nothing where it has none of that name."""
        with self._client.asking(class_key(code)) as client:
            found: bytes | None = client.hget(class_key(code), name)
        return found or b""


class ClassQueue:
    """Classes in which something waits, the longest waiting first: a sorted set.

    A class that it names for nothing is taken out by whoever finds that.
    """

    def __init__(self, client: RedisClient, key: str) -> None:
        """Keep the queue under a key."""
        self._client, self._key = client, key

    def add(self, code: str) -> None:
        """Name a class; its place in the queue stays where it has one."""
        with self._client.asking(self._key) as client:
            client.zadd(self._key, {code: time.time()}, nx=True)

    def first(self, waiting: Callable[[str], Waiting | None]) -> tuple[str, Waiting] | None:
        """Return the first class in which something waits, and what; None where nothing does.

        Args:
            waiting: returns what waits in a class; something false where nothing does.
        """
        while True:
            with self._client.asking(self._key) as client:
                named = client.zrange(self._key, 0, 0)
            if not named:
                return None
            code: str = named[0].decode()
            if found := waiting(code):
                return code, found
            with self._client.asking(self._key) as client:
                client.zrem(self._key, code)
            if waiting(code):  # something came in between, and its class was named before
                self.add(code)
