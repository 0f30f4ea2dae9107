"""The store in Redis, for several machines behind one proxy.

A place is a hash with an end; a row is a field of it: seven bytes of revision, then its own. What
must happen at once is a script, which Redis runs alone. Nothing is sent twice: whether a write
whose answer was lost has counted is left to the revisions that it names, and to the move's step.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha1
from typing import Any, Final, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError
from redis.retry import Retry

from web.storage.breaker import SLOW, Breaker
from web.storage.store import DAY, Put, Read, Row, Seen, Store, StoreFull, StoreUnavailable

Answer = TypeVar("Answer")

FORMAT: Final = 1
"""The number of what is kept, and how. It is in each key: what has another is never touched."""

_PREFIX: Final = f"cardgames{FORMAT}:"
_FORMAT_KEY: Final = "cardgames-format"
_PROBE: Final = "cardgames-probe"

_READ: Final = """
-- ARGV: 'keys' and the keys, or 'prefix' and how they begin. What is no hash has no rows.
local found = redis.call('TIME')
local keys = ARGV[1] == 'keys' and {unpack(ARGV, 2)} or redis.pcall('HKEYS', KEYS[1])
for _, key in ipairs(keys) do
    local row = (ARGV[1] == 'keys' or key:sub(1, #ARGV[2]) == ARGV[2])
        and redis.pcall('HGET', KEYS[1], key)
    if type(row) == 'string' then
        found[#found + 1] = key
        found[#found + 1] = row
    end
end
return found
"""

_WRITE: Final = """
-- ARGV: expires, before, whether there is room, how many rows were seen, ends; the key and revision
-- of each; then the key and bytes of each row to write, none for one that goes.
local time = redis.call('TIME')
local now, expires = time[1] + time[2] / 1e6, tonumber(ARGV[1])
local is_hash = redis.call('TYPE', KEYS[1]).ok == 'hash'
if now > tonumber(ARGV[2]) or not (is_hash or expires > 0) then return 0 end
local first = 6 + 2 * ARGV[4]
for i = 6, first - 1, 2 do
    local row = is_hash and redis.call('HGET', KEYS[1], ARGV[i])
    local revision = row and (row .. ('\\0'):rep(7)):sub(1, 7) or ''
    if revision ~= ARGV[i + 1] then return 0 end
end
if not is_hash and ARGV[3] == '0' then return -1 end
if not is_hash then redis.call('DEL', KEYS[1]) end
for i = first, #ARGV, 2 do
    local gone = ARGV[i + 1] == ''
    if gone then redis.call('HDEL', KEYS[1], ARGV[i])
    else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
local left = is_hash and redis.call('PTTL', KEYS[1]) or 0
if ARGV[5] ~= '0' then redis.call('EXPIREAT', KEYS[1], ARGV[5])
elseif expires - now > (left + 500) / 1000 then redis.call('EXPIREAT', KEYS[1], expires) end
return 1
"""

_DROP: Final = """
-- ARGV: a place goes if it ends within this number of seconds.
local left = redis.call('TTL', KEYS[1])
return left >= 0 and left <= tonumber(ARGV[1]) and redis.call('DEL', KEYS[1]) or 0
"""

_GLANCES: Final = 32
"""Number of draws for a key that gives way: some milliseconds, and only where Redis is full."""

_SIZE_HOLDS: Final = 1.0  # for how many seconds what Redis has reported of its memory is believed

_ROOM: Final = 0.9
"""Which part of Redis's own ``maxmemory`` counts as full: who plays already needs some."""

_POLICIES: Final = ("noeviction", "volatile-ttl")

_OPTIONS: Final[dict[str, Any]] = {
    "socket_connect_timeout": 0.5,
    "socket_timeout": 1.0,
    "retry": Retry(NoBackoff(), 0),
}
"""Timeouts in seconds: a worker that waits for Redis does nothing else meanwhile."""


class RedisStore(Store):
    """Places in a Redis that the workers of all machines share; it drops those that have ended."""

    def __init__(self, address: str, limit: int = 0) -> None:
        """Prepare to connect: a Redis that is away comes back. It is full at a number of bytes.

        Raises:
            ValueError: redis-py's ``from_url()`` cannot read the address.
        """
        self.limit = limit
        self.redis: Any = redis.Redis.from_url(address, **_OPTIONS)
        self._breaker = Breaker("Redis", self.redis.ping)
        self._measured = (0.0, 0, 0)
        self._is_known = False
        self._has_full_log = False

    def read(self, place: str, *keys: str) -> Read:
        """Return the rows with these keys that are there."""
        return self._read(place, "keys", *keys)

    def scan(self, place: str, prefix: str = "") -> Read:
        """Return all rows whose keys begin with a prefix, ordered by key."""
        read = self._read(place, "prefix", prefix)
        return Read(read.now, dict(sorted(read.rows.items())))

    def _read(self, place: str, *words: str) -> Read:
        seconds, micros, *found = self._run(_READ, place, *words)
        rows = {
            key.decode(errors="replace"): _row(data)
            for key, data in zip(found[::2], found[1::2], strict=True)
        }
        return Read(int(seconds) + int(micros) / 1e6, rows)

    def _write(
        self, place: str, put: Put, seen: Seen, expires: int, ends: int, before: float
    ) -> bool:
        if self._has_full_log:
            self.scrub()
        words: list[str | int | bytes] = [len(seen), ends]
        # A revision is one more than the seven bytes that are kept: 0 means that there is no row.
        for key, revision in seen.items():
            words += key, (revision - 1).to_bytes(7) if revision else b""
        # What goes comes last: where memory is full Redis stops before, and nothing is written.
        for key, data in sorted(put.items(), key=lambda row: row[1] is None):
            words += key, b"" if data is None else random.randbytes(7) + data
        is_known = seen and all(seen.values())  # a place with rows is there already
        has_room = not expires or is_known or not self._is_full()
        # NEVER is infinite, and what Lua makes of the word "inf" depends on its platform.
        latest = min(before, 1e15)
        done = self._run(_WRITE, place, expires, latest, int(has_room), *words)
        if done < 0:
            # Room is made first and then counts as there: what Redis reports is a second old.
            self._make_room()
            done = self._run(_WRITE, place, expires, latest, 1, *words)
        return bool(done)

    def forget(self, place: str) -> None:
        """Remove a place and all its rows."""
        self._ask(lambda client: client.delete(_PREFIX + place))

    def scrub(self) -> None:
        """Have Redis write its log anew, if it keeps one and lets itself be asked.

        What is forgotten while it does so stays in the new log: it is asked again before the next
        write.
        """
        self._has_full_log = False

        def rewrite(client: Any) -> None:
            if client.info("persistence").get("aof_enabled"):
                client.bgrewriteaof()

        try:
            self._ask(rewrite)
        except StoreUnavailable as error:
            self._has_full_log = "already in progress" in str(error)

    def places(self, prefix: str = "") -> Iterator[str]:
        """Return the names of all places that begin with a prefix."""
        pattern = f"{_PREFIX}*"  # Redis may name one twice
        names = self._ask(lambda client: {*client.scan_iter(pattern, count=1_000)})
        found = (name.decode(errors="replace").removeprefix(_PREFIX) for name in names)
        yield from (name for name in found if name.startswith(prefix))

    def size(self) -> int:
        """Return how many bytes Redis takes, as it counts them itself against ``maxmemory``.

        What waits to be written to its file is not among them: behind a slow disk that is
        megabytes, and gone in a second.
        """
        memory = self._info("memory")
        return int(memory["used_memory"]) - int(memory.get("mem_not_counted_for_evict", 0))

    def check_read(self) -> None:
        """Return if Redis answers."""
        self._ask(lambda client: client.ping())

    def check_write(self) -> None:
        """Write a key that expires at once; a Redis that is full or a replica refuses it."""
        self._ask(lambda client: client.set(_PROBE, "", px=1))

    def faults(self) -> str:
        """Return which of Redis's settings would lose what is kept."""
        info = self._info("everything")
        found = []
        if not info.get("aof_enabled"):
            found.append("Redis may lose the last moves when it stops: set appendonly yes.")
        if info.get("maxmemory_policy") not in _POLICIES:
            found.append("Redis may drop tables when it is full: set maxmemory-policy noeviction.")
        return " ".join(found)

    def close(self) -> None:
        """Close the connections."""
        self.redis.close()

    def _ask(self, question: Callable[[Any], Answer]) -> Answer:
        """Return what redis-py's client answers to a question, if Redis is not known to hang.

        Raises:
            StoreUnavailable: Redis is away, hangs or refuses.
        """
        self._breaker.check()
        began = time.monotonic()
        try:
            return question(self.redis)
        except (redis.RedisError, OSError) as error:
            if time.monotonic() - began > SLOW:
                self._breaker.trip()
            raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error

    def _info(self, section: str) -> dict[str, Any]:
        """Return what Redis reports of itself."""
        return self._ask(lambda client: dict(client.info(section)))

    def _run(self, script: str, place: str, *words: Any) -> Any:
        """Run a script on a place, and return what it returns."""
        if not self._is_known:
            self._require_format()
        return self._run_on(script, _PREFIX + place, *words)

    def _run_on(self, script: str, key: str | bytes, *words: Any) -> Any:
        def question(client: Any) -> Any:
            try:
                return client.evalsha(_digest(script), 1, key, *words)
            except NoScriptError:  # Redis was started anew, say
                return client.eval(script, 1, key, *words)

        return self._ask(question)

    def _require_format(self) -> None:
        """Return if what Redis has is of this format, or nothing is known of it.

        Raises:
            StoreUnavailable: another version of the site has kept something.
        """
        found = None
        with suppress(StoreUnavailable):
            found = self._ask(lambda client: client.get(_FORMAT_KEY))
            if found is None:
                self._ask(lambda client: client.set(_FORMAT_KEY, FORMAT, nx=True))
        self._is_known = found == b"%d" % FORMAT
        if found is not None and not self._is_known:
            raise StoreUnavailable(
                f"Redis has format {found.decode(errors='replace')}, and this version of the site "
                f"keeps format {FORMAT}. Nothing in it was changed: set another SESSION_STORE."
            )

    def _is_full(self) -> bool:
        """Say whether Redis takes as much memory as it may, or nearly as much as it can."""
        at, used, most = self._measured
        if time.monotonic() - at > _SIZE_HOLDS:
            most = int(self._info("memory").get("maxmemory", 0))
            used, most = self.size(), int(most * _ROOM)
            self._measured = time.monotonic(), used, most
        return any(limit and used >= limit for limit in (self.limit, most))

    def _make_room(self) -> None:
        """Drop the place that ends soonest of some, if that is within a day.

        Raises:
            StoreFull: none was found.
        """
        ours = _PREFIX.encode()
        found = {self._ask(lambda client: client.randomkey()) or b"" for _ in range(_GLANCES)}
        ends = {
            key: self._ask(lambda client, key=key: client.ttl(key))  # type: ignore[misc]
            for key in found
            if key.startswith(ours)
        }
        soonest = min(ends, key=lambda key: ends[key], default=b"")
        if not (soonest and self._run_on(_DROP, soonest, DAY)):
            raise StoreFull


@cache
def _digest(script: str) -> str:
    return sha1(script.encode(), usedforsecurity=False).hexdigest()


def _row(data: bytes) -> Row:
    """Return a row; one that is damaged has a revision too, so that it can be written over."""
    return Row(int.from_bytes(data[:7].ljust(7, b"\0")) + 1, data[7:])
