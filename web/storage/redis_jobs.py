"""Jobs in the Redis that has the sessions.

A job is a hash. For each queue there is ``open:0``, a sorted set of its open jobs by their work,
and ``kept:0``, the list of those that are kept, the newest first. What must happen at once is a
script, which Redis runs alone, with Redis's own clock. All keys share ``{cardgames-jobs}``, so they
lie together on a cluster too.
"""

from itertools import chain
from typing import Final

from web.storage.jobs import LEASE, LIFETIME, MAX_ATTEMPTS, MAX_JOBS, QUEUES, Job, JobState
from web.storage.redis_client import RedisClient

_PREFIX: Final = "{cardgames-jobs}:"
_OPEN: Final = f"{_PREFIX}open:"
_NEXT: Final = f"{_PREFIX}next"
_FIELDS: Final = ("created", "queue", "work", "state", "lease", "data")

_COMMON: Final = f"""
local PREFIX, LIFETIME, MAX_JOBS = '{_PREFIX}', {LIFETIME}, {MAX_JOBS}
local LEASE, MAX_ATTEMPTS = {LEASE}000000, {MAX_ATTEMPTS}
local OPEN = PREFIX .. 'open:'
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
"""
"""What stands before every script."""

_ADD: Final = """
-- ARGV: queue, work, data.
local number = redis.call('INCR', PREFIX .. 'next')
local job, kept = PREFIX .. number, PREFIX .. 'kept:' .. ARGV[1]
redis.call('HSET', job, 'created', clock[1], 'queue', ARGV[1], 'work', ARGV[2],
    'state', 'open', 'lease', 0, 'attempts', 0, 'data', ARGV[3], 'result', '')
redis.call('EXPIRE', job, LIFETIME)
redis.call('ZADD', OPEN .. ARGV[1], ARGV[2], number)
redis.call('LPUSH', kept, number)
for _, old in ipairs(redis.call('LRANGE', kept, MAX_JOBS, -1)) do
    redis.call('DEL', PREFIX .. old)
    redis.call('ZREM', OPEN .. ARGV[1], old)
end
redis.call('LTRIM', kept, 0, MAX_JOBS - 1)
return number
"""

_TAKE: Final = """
-- ARGV: queue.
local open = OPEN .. ARGV[1]
for _, number in ipairs(redis.call('ZRANGE', open, 0, -1)) do
    local job = PREFIX .. number
    local lease = redis.call('HGET', job, 'lease')
    if not lease then  -- it has expired
        redis.call('ZREM', open, number)
    elseif tonumber(lease) <= now then
        if redis.call('HINCRBY', job, 'attempts', 1) > MAX_ATTEMPTS then
            redis.call('HSET', job, 'state', 'failed')
            redis.call('ZREM', open, number)
        else
            redis.call('HSET', job, 'lease', string.format('%d', now + LEASE))
            return tonumber(number)
        end
    end
end
return 0
"""

_PUT: Final = """
-- ARGV: number, lease, state, work, data, result.
local job = PREFIX .. ARGV[1]
local is = redis.call('HMGET', job, 'state', 'lease', 'queue')
if is[1] ~= 'open' or is[2] ~= ARGV[2] then return 0 end
redis.call('HSET', job, 'lease', 0, 'attempts', 0, 'state', ARGV[3], 'work', ARGV[4],
    'data', ARGV[5], 'result', ARGV[6])
if ARGV[3] == 'open' then
    redis.call('ZADD', OPEN .. is[3], ARGV[4], ARGV[1])
else
    redis.call('ZREM', OPEN .. is[3], ARGV[1])
end
return 1
"""

_CANCEL: Final = """
-- ARGV: number.
local is = redis.call('HMGET', PREFIX .. ARGV[1], 'state', 'queue')
if is[1] ~= 'open' then return 0 end
redis.call('HSET', PREFIX .. ARGV[1], 'state', 'cancelled')
redis.call('ZREM', OPEN .. is[2], ARGV[1])
return 1
"""


class RedisJobs:
    """Jobs in one Redis, shared by the processes of all machines."""

    def __init__(self, address: str) -> None:
        """Prepare to connect.

        Args:
            address: where Redis is (:mod:`web.storage.redis_servers`).

        Raises:
            ValueError: the address is none of a Redis.
        """
        self._client = RedisClient(address, _COMMON)

    def add(self, queue: int, work: int, data: bytes) -> Job:
        """Keep a new job; the oldest of its queue goes when there are too many."""
        (job,) = self._jobs(self._client.run(_ADD, _NEXT, queue, work, data))
        return job

    def find(self, number: int) -> Job | None:
        """Return a job, if it is kept."""
        found = self._jobs(number)
        return found[0] if found else None

    def result(self, number: int) -> bytes:
        """Return what came out of a job so far; empty where nothing has."""
        job = f"{_PREFIX}{number}"
        with self._client.asking(job) as client:
            data: bytes | None = client.hget(job, "result")
        return data or b""

    def latest(self, count: int) -> tuple[Job, ...]:
        """Return the newest jobs, the newest first."""
        with self._client.asking(_NEXT) as client:
            newest = int(client.get(_NEXT) or 0)
        return self._jobs(*range(newest, max(0, newest - count), -1))

    def open_jobs(self) -> tuple[Job, ...]:
        """Return the jobs that are not finished: one queue after the other, each in its order."""
        with self._client.asking(_NEXT) as client:
            queues = [client.zrange(f"{_OPEN}{queue}", 0, -1) for queue in QUEUES]
        return self._jobs(*map(int, chain.from_iterable(queues)))

    def take(self, queue: int) -> Job | None:
        """Take the first job of a queue for ``LEASE`` seconds; None where there is none."""
        number = self._client.run(_TAKE, f"{_OPEN}{queue}", queue)
        return self.find(number) if number else None

    def put(self, job: Job, result: bytes) -> bool:
        """Put a job back as it stands now, with what came out so far."""
        values = [job.number, job.lease, job.state.value, job.work, job.data, result]
        return bool(self._client.run(_PUT, f"{_PREFIX}{job.number}", *values))

    def cancel(self, number: int) -> bool:
        """End a job that is open; return whether it was."""
        return bool(self._client.run(_CANCEL, f"{_PREFIX}{number}", number))

    def _jobs(self, *numbers: int) -> tuple[Job, ...]:
        """Return those of some jobs that are kept."""
        with self._client.asking(_NEXT) as client:
            asked = client.pipeline(transaction=False)
            for number in numbers:
                asked.hmget(f"{_PREFIX}{number}", _FIELDS)
            rows = asked.execute()
        return tuple(
            Job(number, int(row[0]), int(row[1]), int(row[2]), _state(row[3]), int(row[4]), row[5])
            for number, row in zip(numbers, rows, strict=True)
            if row[0] is not None
        )


def _state(name: bytes) -> JobState:
    return JobState(name.decode())
