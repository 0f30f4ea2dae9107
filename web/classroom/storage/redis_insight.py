"""Rounds that wait to be judged, and how students have played, in the Redis of the classes.

Both are fields of the class's hash (:mod:`.redis_scripts`), so they go with the student and with
the class. A queue beside it names the classes in which rounds wait.
"""

from collections.abc import Sequence
from typing import Any, Final

from web.classroom.storage.insight import MAX_WAITING, Judged, StoredPlay, WaitingRound
from web.classroom.storage.redis_rows import ClassQueue, RedisRows
from web.storage.redis_client import RedisClient

_ADD: Final = f"""
-- ARGV: the student, and the bytes of each round. Answers whether there is such a student.
local who = ARGV[1]
if redis.call('HEXISTS', class, 'student:' .. who) == 0 then return 0 end
local rounds = waits(who)
for i = 2, #ARGV do
    if #rounds < {MAX_WAITING} then
        table.insert(rounds, {{redis.call('HINCRBY', class, 'waited', 1), ARGV[i]}})
    end
end
redis.call('HSET', class, 'waits:' .. who, cmsgpack.pack(rounds))
return 1
"""

_ALL_WAITING: Final = """
-- ARGV: how many at most. Answers with student, number and bytes of each.
local found = {}
for who = 1, number('joined') do
    for _, round in ipairs(waits(who)) do
        if #found == tonumber(ARGV[1]) then return found end
        table.insert(found, {who, round[1], round[2]})
    end
end
return found
"""

_COUNT: Final = """
local count = 0
for who = 1, number('joined') do count = count + #waits(who) end
return count
"""

_PLAYS: Final = """
-- ARGV: the first student and the last; 0 for the newest. Answers with number, version and bytes.
local found = {}
for who = tonumber(ARGV[1]), ARGV[2] == '0' and number('joined') or tonumber(ARGV[2]) do
    local data = redis.call('HGET', class, 'play:' .. who)
    if data then table.insert(found, {who, number('plays:' .. who), data}) end
end
return found
"""

_SETTLE: Final = """
-- ARGV: of each the student, the version, the bytes, how many rounds, and their numbers.
local i = 1
while i <= #ARGV do
    local who, last = ARGV[i], i + 3 + tonumber(ARGV[i + 3])
    if redis.call('HEXISTS', class, 'student:' .. who) == 1
            and number('plays:' .. who) == tonumber(ARGV[i + 1]) then
        redis.call('HSET', class, 'play:' .. who, ARGV[i + 2])
        redis.call('HINCRBY', class, 'plays:' .. who, 1)
        local gone, left = {}, {}
        for place = i + 4, last do gone[tonumber(ARGV[place])] = true end
        for _, round in ipairs(waits(who)) do
            if not gone[round[1]] then table.insert(left, round) end
        end
        if #left > 0 then
            redis.call('HSET', class, 'waits:' .. who, cmsgpack.pack(left))
        else
            redis.call('HDEL', class, 'waits:' .. who)
        end
    end
    i = last + 1
end
return 1
"""


class RedisInsight(RedisRows):
    """What *insight* keeps, in the hashes of the classes."""

    def __init__(self, client: RedisClient) -> None:
        """Keep it where a client leads."""
        super().__init__(client)
        self._queue = ClassQueue(client, "cardgames-class-waiting")

    def add_rounds(self, code: str, student: int, rounds: Sequence[bytes]) -> None:
        """Let rounds of a student wait, and then name their class."""
        if self._run(_ADD, code, student, *rounds):
            self._queue.add(code)

    def waiting_class(self) -> str:
        """Return a class in which rounds wait."""
        found = self._queue.first(self.count_waiting)
        return found[0] if found else ""

    def waiting(self, code: str, most: int) -> tuple[WaitingRound, ...]:
        """Return some rounds of a class that wait: student by student."""
        return tuple(WaitingRound(*row) for row in self._run(_ALL_WAITING, code, most))

    def count_waiting(self, code: str) -> int:
        """Return how many rounds of a class wait."""
        return int(self._run(_COUNT, code))

    def plays(self, code: str) -> tuple[StoredPlay, ...]:
        """Return how the students of a class have played."""
        return tuple(StoredPlay(*row) for row in self._run(_PLAYS, code, 1, 0))

    def play_of(self, code: str, student: int) -> StoredPlay:
        """Return how a student has played."""
        found = self._run(_PLAYS, code, student, student)
        return StoredPlay(*found[0]) if found else StoredPlay(student, 0, b"")

    def settle(self, code: str, judged: Sequence[Judged]) -> None:
        """Keep what was judged, in one script that Redis runs alone."""
        words: list[Any] = []
        for play, numbers in judged:
            words += [play.student, play.version, play.data, len(numbers), *numbers]
        self._run(_SETTLE, code, *words)
