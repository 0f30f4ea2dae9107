"""Sessions in Redis, for several machines behind one proxy.

A session is a Redis hash of its version and its bytes. Compare-and-set is a script, which Redis
runs alone; expiry is Redis's own. Nothing is sent twice: whether a write whose answer was lost has
counted is left to the move's step, which plays it at most once.

A session's rounds are fields of its own hash, so neither outlives the other. For each table
there is the newest round's number in ``newest:war``, and sixteen rounds a field, packed by the
script: ``rounds:war:3`` has those numbered 48 to 63. A field for each would take twice the memory.
A deal is a hash too: its bytes in ``data``, and a field for each player's result, which begins with
its place in the order they came.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from web.storage.protocol import (
    LIFETIME,
    MAX_RESULTS,
    MAX_ROUNDS,
    Result,
    Round,
    SideWrite,
    StoreUnavailable,
    VersionedBlob,
)

_PREFIX: Final = "cardgames:"
_DEALS: Final = "cardgames-deal:"
_PROBE: Final = "cardgames-probe"
_OF: Final = b"of:"
"""How the field of a player's result begins."""

_CONNECTS_WITHIN: Final = 1.0
_ANSWERS_WITHIN: Final = 2.0
"""In seconds: a Redis that hangs must not hold every thread of a worker for long."""

_LIMITS: Final = f"""
local LIFETIME, MAX_ROUNDS, MAX_RESULTS = {LIFETIME}, {MAX_ROUNDS}, {MAX_RESULTS}
local A_FIELD = 16  -- rounds
"""

_SAVE: Final = (
    _LIMITS
    + """
-- KEYS: the session, and the deals. ARGV: the version read, the next, the bytes; and for each thing
-- beside them four: "round", table, number, bytes, or "result", which key, field, bytes.
local session = KEYS[1]
if (redis.call('HGET', session, 'version') or '0') ~= ARGV[1] then return 0 end

-- Redis takes nothing back when a script fails: first all is read, and only then is all written.
local fields, too_old, results = {}, {}, {}

local function held(field)
    return fields[field] or redis.call('HGET', session, field)
end

local function keep_round(game, number, data)
    local newest = tonumber(held('newest:' .. game) or 0)
    if number <= newest - MAX_ROUNDS then return end
    local field = 'rounds:' .. game .. ':' .. math.floor(number / A_FIELD)
    local packed = held(field)
    local rounds = packed and cmsgpack.unpack(packed) or {}
    rounds[tostring(number)] = data
    fields[field] = cmsgpack.pack(rounds)
    if number <= newest then return end
    fields['newest:' .. game] = tostring(number)
    local first = math.max(0, math.floor((newest - MAX_ROUNDS + 1) / A_FIELD))
    local last = math.floor((number - MAX_ROUNDS + 1) / A_FIELD) - 1
    for place = first, math.min(last, math.floor(newest / A_FIELD)) do
        table.insert(too_old, 'rounds:' .. game .. ':' .. place)
    end
end

for i = 4, #ARGV, 4 do
    if ARGV[i] == 'round' then
        keep_round(ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3])
    else
        local deal = KEYS[tonumber(ARGV[i + 1])]
        redis.call('HLEN', deal)  -- fails here if at all
        table.insert(results, {deal, ARGV[i + 2], ARGV[i + 3]})
    end
end

redis.call('HSET', session, 'version', ARGV[2], 'data', ARGV[3])
for field, value in pairs(fields) do redis.call('HSET', session, field, value) end
for _, field in ipairs(too_old) do redis.call('HDEL', session, field) end
redis.call('EXPIRE', session, LIFETIME)
for _, result in ipairs(results) do
    local place = redis.call('HLEN', result[1])  -- 1 for the deal's own bytes, 0 if it is gone
    if place > 0 and place <= MAX_RESULTS then
        redis.call('HSETNX', result[1], result[2], place .. ':' .. result[3])
    end
end
return 1
"""
)

_ROUNDS: Final = (
    _LIMITS
    + """
-- KEYS: the session. ARGV: the table, and the one number that is asked for, if any.
local newest = tonumber(redis.call('HGET', KEYS[1], 'newest:' .. ARGV[1]) or 0)
local first, last = math.max(1, newest - MAX_ROUNDS + 1), newest
if ARGV[2] then
    first, last = math.max(first, tonumber(ARGV[2])), math.min(last, tonumber(ARGV[2]))
end
local found = {}
for place = math.floor(last / A_FIELD), math.floor(first / A_FIELD), -1 do
    local packed = redis.call('HGET', KEYS[1], 'rounds:' .. ARGV[1] .. ':' .. place)
    local rounds = packed and cmsgpack.unpack(packed) or {}
    for number = math.min(last, (place + 1) * A_FIELD - 1), math.max(first, place * A_FIELD), -1 do
        local data = rounds[tostring(number)]
        if data then table.insert(found, {number, data}) end
    end
end
return found
"""
)

_KEEP_DEAL: Final = (
    _LIMITS
    + """
if redis.call('HSETNX', KEYS[1], 'data', ARGV[1]) == 0 then return 0 end
redis.call('EXPIRE', KEYS[1], LIFETIME)
return 1
"""
)


def connect(url: str) -> Any:
    """Return a client of a Redis, which is asked for the first time when something is wanted.

    Raises:
        ValueError: the URL is none of Redis.
    """
    return redis.Redis.from_url(
        url,
        socket_connect_timeout=_CONNECTS_WITHIN,
        socket_timeout=_ANSWERS_WITHIN,
        retry=Retry(NoBackoff(), 0),
    )


class RedisStore:
    """Sessions in one Redis, shared by the workers of all machines."""

    def __init__(self, url: str) -> None:
        """Prepare to connect. A Redis that is away is no reason not to start: it comes back.

        Raises:
            ValueError: the URL is none of Redis.
        """
        self.redis = connect(url)
        self._save = self.redis.register_script(_SAVE)
        self._rounds = self.redis.register_script(_ROUNDS)
        self._keep_deal = self.redis.register_script(_KEEP_DEAL)

    def load(self, sid: str) -> VersionedBlob | None:
        """Return a session that has not expired."""
        with named_faults():
            version, data = self.redis.hmget(_PREFIX + sid, "version", "data")
        return None if version is None else VersionedBlob(int(version), data)

    def save(
        self, sid: str, version: int, data: bytes, side_writes: Sequence[SideWrite] = ()
    ) -> bool:
        """Compare and set, in one script that Redis runs alone."""
        keys = [_PREFIX + sid]
        words: list[str | int | bytes] = [version, version + 1, data]
        for one in side_writes:
            match one:
                case Round(game, number, finished):
                    words += ["round", game, number, finished]
                case Result(deal, player, result):
                    keys.append(_DEALS + deal)
                    words += ["result", len(keys), _OF + player.encode(), result]
        with named_faults():
            return bool(self._save(keys, words))

    def renew(self, sid: str) -> None:
        """Let a session live as long as after a move."""
        with named_faults():
            self.redis.expire(_PREFIX + sid, LIFETIME)

    def delete(self, sid: str) -> None:
        """Forget a session, and its rounds with it."""
        with named_faults():
            self.redis.delete(_PREFIX + sid)

    def rounds(self, sid: str, game: str) -> tuple[Round, ...]:
        """Return the rounds kept of a session's table, the newest first."""
        with named_faults():
            found = self._rounds([_PREFIX + sid], [game])
        return tuple(Round(game, number, data) for number, data in found)

    def round(self, sid: str, game: str, number: int) -> Round | None:
        """Return one round, if it is kept."""
        with named_faults():
            found = self._rounds([_PREFIX + sid], [game, number])
        return Round(game, *found[0]) if found else None

    def keep_deal(self, deal: str, data: bytes) -> bool:
        """Keep a deal for as long as a session is idle; return False if its id is taken."""
        with named_faults():
            return bool(self._keep_deal([_DEALS + deal], [data]))

    def deal(self, deal: str) -> bytes | None:
        """Return what was kept of a deal that has not expired."""
        with named_faults():
            data: bytes | None = self.redis.hget(_DEALS + deal, "data")
        return data

    def results(self, deal: str) -> tuple[Result, ...]:
        """Return the results of a deal, in the order they came."""
        with named_faults():
            fields: dict[bytes, bytes] = self.redis.hgetall(_DEALS + deal)
        found = {}
        for field, value in fields.items():
            if field.startswith(_OF):
                place, _, data = value.partition(b":")
                player = field.removeprefix(_OF).decode()
                found[int(place)] = Result(deal, player, data)
        return tuple(found[place] for place in sorted(found))

    def check_read(self) -> None:
        """Return if Redis answers."""
        with named_faults():
            self.redis.ping()

    def check_write(self) -> None:
        """Write a key that expires at once; a Redis that is full or a replica refuses it."""
        with named_faults():
            self.redis.set(_PROBE, "", px=1)

    def count(self) -> int:
        """Return how many sessions there are."""
        with named_faults():
            return len(set(self._keys()))  # a scan may name a key twice

    def purge(self) -> int:
        """Delete nothing: Redis drops a session when its time is over."""
        return 0

    def iter_sessions(self) -> Iterator[tuple[str, VersionedBlob]]:
        """Return every session, by its id; one that is played meanwhile may come out twice."""
        with named_faults():
            for key in self._keys():
                sid = key.decode().removeprefix(_PREFIX)
                saved = self.load(sid)
                if saved:
                    yield sid, saved

    def faults(self) -> str:
        """Return which of Redis's settings would lose sessions, or nothing."""
        with named_faults():
            info = self.redis.info()
        said = []
        if not info.get("aof_enabled"):
            said.append("Redis may lose the last moves when it stops: set appendonly yes.")
        if info.get("maxmemory_policy") != "noeviction":
            said.append("Redis may drop tables when it is full: set maxmemory-policy noeviction.")
        return " ".join(said)

    def _keys(self) -> Iterator[bytes]:
        keys: Iterator[bytes] = self.redis.scan_iter(match=f"{_PREFIX}*", count=1_000)
        return keys


@contextmanager
def named_faults() -> Iterator[None]:
    """Turn a Redis that is away, hangs or refuses into StoreUnavailable."""
    try:
        yield
    except redis.RedisError as error:
        raise StoreUnavailable(f"Redis: {type(error).__name__}: {error}") from error
