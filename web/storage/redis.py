"""The store in Redis, for several machines behind one proxy: one server, a cluster, or sentinels.

A place is a hash with an end, so it is on one server of a cluster; a row is a field of it: seven
bytes of revision, then its own. What must happen at once is a script, which Redis runs alone.
"""

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from operator import methodcaller
from typing import Any, Final

from web.storage.redis_client import RedisClient
from web.storage.store import DAY, Put, Read, Row, Seen, Store, StoreFull, StoreUnavailable

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


class RedisStore(Store):
    """Places in a Redis that the workers of all machines share; it drops those that have ended."""

    def __init__(self, address: str, limit: int = 0) -> None:
        """Prepare to connect: a Redis that is away comes back. It is full at a number of bytes.

        Raises:
            ValueError: it is not an address of a Redis (:mod:`web.storage.redis_client`).
        """
        self.limit = limit
        self._client = RedisClient(address)
        self._measured = (0.0, 0, 0)
        self._is_known = False
        self._has_full_log = False

    @property
    def redis(self) -> Any:
        """redis-py's own client."""
        return self._client.redis

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
        self._client.ask(_PREFIX + place, methodcaller("delete", _PREFIX + place))

    def scrub(self) -> None:
        """Have Redis write its log anew, if it keeps one and lets itself be asked.

        What is forgotten while it does so stays in the new log: it is asked again before the next
        write.
        """
        self._has_full_log = False

        def rewrite(server: Any) -> None:
            if server.info("persistence").get("aof_enabled"):
                server.bgrewriteaof()

        try:
            [*self._client.each_server(rewrite)]
        except StoreUnavailable as error:
            self._has_full_log = "already in progress" in str(error)

    def places(self, prefix: str = "") -> Iterator[str]:
        """Return the names of all places that begin with a prefix."""
        pattern = f"{_PREFIX}*"  # Redis may name one twice
        names = self._client.ask("", lambda client: {*client.scan_iter(pattern, count=1_000)})
        found = (name.decode(errors="replace").removeprefix(_PREFIX) for name in names)
        yield from (name for name in found if name.startswith(prefix))

    def size(self) -> int:
        """Return how many bytes Redis takes, as it counts them itself against ``maxmemory``.

        What waits to be written to its file is not among them: behind a slow disk that is
        megabytes, and gone in a second.
        """
        memory = self._infos("memory")
        waiting = sum(int(one.get("mem_not_counted_for_evict", 0)) for one in memory)
        return sum(int(one["used_memory"]) for one in memory) - waiting

    def check_read(self) -> None:
        """Return if Redis answers: of a cluster, any of its servers."""
        next(self._client.each_server(methodcaller("ping")))

    def check_write(self) -> None:
        """Write a key that expires at once; a Redis that is full or a replica refuses it."""
        self._client.ask(_PROBE, methodcaller("set", _PROBE, "", px=1))

    def faults(self) -> str:
        """Return which of Redis's settings would lose what is kept."""
        infos = self._infos("everything")
        found = []
        if not all(info.get("aof_enabled") for info in infos):
            found.append("Redis may lose the last moves when it stops: set appendonly yes.")
        if any(info.get("maxmemory_policy") not in _POLICIES for info in infos):
            found.append("Redis may drop tables when it is full: set maxmemory-policy noeviction.")
        return " ".join(found)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _infos(self, section: str) -> list[dict[str, Any]]:
        """Return what each server that takes writes, and answers, reports of itself."""
        return [*self._client.each_server(methodcaller("info", section))]

    def _run(self, script: str, place: str, *words: Any) -> Any:
        if not self._is_known:
            self._require_format()
        return self._client.run(script, _PREFIX + place, *words)

    def _require_format(self) -> None:
        """Return if what Redis has is of this format, or nothing is known of it.

        Raises:
            StoreUnavailable: another version of the site has kept something.
        """
        found = None
        with suppress(StoreUnavailable):
            found = self._client.ask(_FORMAT_KEY, methodcaller("get", _FORMAT_KEY))
            if found is None:
                self._client.ask(_FORMAT_KEY, methodcaller("set", _FORMAT_KEY, FORMAT, nx=True))
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
            most = sum(int(one.get("maxmemory", 0)) for one in self._infos("memory"))
            used, most = self.size(), int(most * _ROOM)
            self._measured = time.monotonic(), used, most
        return any(limit and used >= limit for limit in (self.limit, most))

    def _make_room(self) -> None:
        """Drop the place that ends soonest of some, if that is within a day.

        Raises:
            StoreFull: none was found.
        """
        glance, ours = methodcaller("randomkey"), _PREFIX.encode()
        found = {next(self._client.each_server(glance)) or b"" for _ in range(_GLANCES)}
        ends = {
            key: self._client.ask(key, methodcaller("ttl", key))
            for key in found
            if key.startswith(ours)
        }
        soonest = min(ends, key=lambda key: ends[key], default=b"")
        if not (soonest and self._client.run(_DROP, soonest, DAY)):
            raise StoreFull


def _row(data: bytes) -> Row:
    """Return a row; one that is damaged has a revision too, so that it can be written over."""
    return Row(int.from_bytes(data[:7].ljust(7, b"\0")) + 1, data[7:])
