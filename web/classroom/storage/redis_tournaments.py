"""What students have played of tournaments, in the Redis of the classes.

All of it is fields of the class's hash (:mod:`.redis_scripts`): ``entry:3:17``, what student 17 has
played of tournament 3; ``costs:3``; ``deals_played``, what is kept of the browsers of forgotten
students; and ``tournaments``, the highest number of one with entries.
"""

from collections.abc import Mapping
from typing import Final

from web.classroom.storage.redis_rows import RedisRows
from web.classroom.storage.redis_scripts import EACH
from web.classroom.storage.tournaments import StoredEntry

_ENTRIES_OF: Final = """
-- ARGV: the student. Answers with the number and the bytes of each tournament.
local found = {}
for one = 1, number('tournaments') do
    local value = redis.call('HGET', class, 'entry:' .. one .. ':' .. ARGV[1])
    if value then table.insert(found, {one, value}) end
end
return found
"""

_SAVE: Final = """
-- ARGV: the tournament, the student, the bytes, what was read, whether all of it is played.
local field = 'entry:' .. ARGV[1] .. ':' .. ARGV[2]
if redis.call('HEXISTS', class, 'student:' .. ARGV[2]) == 0 then return 0 end
if (redis.call('HGET', class, field) or '') ~= ARGV[4] then return 0 end
redis.call('HSET', class, field, ARGV[3])
if number('tournaments') < tonumber(ARGV[1]) then
    redis.call('HSET', class, 'tournaments', ARGV[1])
end
if ARGV[5] == '1' then redis.call('HINCRBY', class, 'students', 1) end
return 1
"""

_KEEP_COSTS: Final = """
-- ARGV: the tournament, the bytes.
if redis.call('EXISTS', class) == 0 then return 0 end
redis.call('HSET', class, 'costs:' .. ARGV[1], ARGV[2])
return redis.call('HINCRBY', class, 'students', 1)
"""


class RedisTournaments(RedisRows):
    """What tournaments keep, in the hashes of the classes."""

    def entries(self, code: str, tournament: int) -> Mapping[int, bytes]:
        """Return what each student has played of a tournament, by their numbers."""
        return dict(self._run(EACH, code, f"entry:{tournament}:", "joined"))

    def entries_of(self, code: str, student: int) -> Mapping[int, bytes]:
        """Return what a student has played, by the numbers of the tournaments."""
        return dict(self._run(_ENTRIES_OF, code, student))

    def save_entry(self, code: str, entry: StoredEntry, seen: bytes, *, finished: bool) -> bool:
        """Compare and set what a student has played."""
        return bool(self._run(_SAVE, code, *entry, seen, int(finished)))

    def deals_played(self, code: str) -> bytes:
        """Return what is kept of the browsers of forgotten students."""
        return self._field(code, "deals_played")

    def costs(self, code: str, tournament: int) -> bytes:
        """Return what decisions cost at the deals of a tournament; nothing before it is known."""
        return self._field(code, f"costs:{tournament}")

    def keep_costs(self, code: str, tournament: int, data: bytes) -> None:
        """Keep that, if the class is there still."""
        self._run(_KEEP_COSTS, code, tournament, data)
