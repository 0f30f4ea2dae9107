"""Strategy charts in the Redis of the classes.

They are fields of the class's hash (:mod:`.redis_scripts`), so they go with it: ``charts`` is the
newest one's number, ``charts:17`` has numbers and times of those of a student, ``chart:3`` is whose
it is, when it was handed in and its bytes, ``worth:3`` and ``costs:3`` are what was found of it.
A queue beside it names the classes in which charts wait to be worked out.
"""

from typing import Final

from web.classroom.storage.charts import MAX_A_DAY, MAX_KEPT, NotTaken, StoredChart
from web.classroom.storage.redis_rows import ClassQueue, RedisRows
from web.storage.redis_client import RedisClient

_ADD: Final = f"""
-- ARGV: the student, the bytes. Answers with the number, or with why it is not taken.
local who, at = ARGV[1], now()
if redis.call('HEXISTS', class, 'student:' .. who) == 0 then return 'gone' end
local packed = redis.call('HGET', class, 'charts:' .. who)
local charts, today = packed and cmsgpack.unpack(packed) or {{}}, 0
for _, chart in ipairs(charts) do
    if tonumber(chart[2]) > tonumber(at) - 86400 then today = today + 1 end
end
if today >= {MAX_A_DAY} then return 'today' end
if #charts >= {MAX_KEPT} then return 'full' end
local place = redis.call('HINCRBY', class, 'charts', 1)
table.insert(charts, {{place, at}})
redis.call('HSET', class, 'charts:' .. who, cmsgpack.pack(charts),
           'chart:' .. place, cmsgpack.pack({{who, at, ARGV[2]}}))
return place
"""

_CHARTS: Final = """
-- Answers with number, student, time, bytes and worth of each.
local found = {}
for place = 1, number('charts') do
    local packed = redis.call('HGET', class, 'chart:' .. place)
    if packed then
        local who, at, data = unpack(cmsgpack.unpack(packed))
        local worth = redis.call('HGET', class, 'worth:' .. place) or ''
        table.insert(found, {place, tonumber(who), at, data, worth})
    end
end
return found
"""

_SETTLE: Final = """
-- ARGV: the number, what it is worth, what its decisions cost.
if redis.call('HEXISTS', class, 'chart:' .. ARGV[1]) == 0 then return 0 end
redis.call('HSET', class, 'worth:' .. ARGV[1], ARGV[2], 'costs:' .. ARGV[1], ARGV[3])
return 1
"""


class RedisCharts(RedisRows):
    """The charts of classes, in the hashes of the classes."""

    def __init__(self, client: RedisClient) -> None:
        """Keep them where a client leads."""
        super().__init__(client)
        self._queue = ClassQueue(client, "cardgames-class-charts-waiting")

    def add(self, code: str, student: int, data: bytes) -> int | NotTaken:
        """Keep a chart; the count and the write are one script. Then name its class."""
        answer = self._run(_ADD, code, student, data)
        if not isinstance(answer, int):
            return NotTaken(answer.decode())
        self._queue.add(code)
        return answer

    def charts(self, code: str) -> tuple[StoredChart, ...]:
        """Return the charts of a class, the oldest first."""
        rows = self._run(_CHARTS, code)
        return tuple(
            StoredChart(number, student, float(at), data, worth)
            for number, student, at, data, worth in rows
        )

    def waiting(self) -> tuple[str, StoredChart] | None:
        """Return a chart that waits, of the class that was named first."""
        return self._queue.first(self._waiting_in)

    def settle(self, code: str, number: int, worth: bytes, costs: bytes) -> None:
        """Keep what a chart is worth."""
        self._run(_SETTLE, code, number, worth, costs)

    def costs(self, code: str, number: int) -> bytes:
        """Return what the decisions of a chart cost."""
        return self._field(code, f"costs:{number}")

    def _waiting_in(self, code: str) -> StoredChart | None:
        """Return the oldest chart of a class that waits."""
        return next((chart for chart in self.charts(code) if not chart.worth), None)
