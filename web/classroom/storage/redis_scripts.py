"""What Redis runs alone, in Lua: each script reads and writes one class, which is one key.

A class is one hash, so all of it is on one server of a cluster, expires at once and is forgotten at
once. Its fields: the class's own numbers and ``data``; ``student:17``, ``version:17`` and
``key:17`` with ``taken:KEY`` and ``browser:HASH``, which hold a student's number; ``name:17``, the
one place of a real name, and ``roster``; ``seen:17``; ``claim:3`` in the order they came, with
``said:CARD:CALL``; ``over:2``, a finished round; and of *insight* ``waits:17``, ``play:17`` and
its version ``plays:17`` (:mod:`.redis_insight`), and those of :mod:`.redis_tournaments` and of
:mod:`.redis_charts`. Times are the server's. ``SHARED`` stands before every one of them.
"""

from typing import Final

from web.classroom.storage.protocol import MAX_FINISHED

SHARED: Final = f"""
local class = KEYS[1]
local MAX_FINISHED = {MAX_FINISHED}
local NUMBERS = {{'version', 'students', 'claims', 'right', 'round', 'open', 'calls', 'since',
                  'every', 'stop'}}

local function now()
    local time = redis.call('TIME')
    return string.format('%d.%06d', time[1], time[2])
end

local function number(field)
    return tonumber(redis.call('HGET', class, field) or 0)
end

-- The rounds of a student that wait to be judged: number and bytes of each.
local function waits(who)
    local packed = redis.call('HGET', class, 'waits:' .. who)
    return packed and cmsgpack.unpack(packed) or {{}}
end

local function forget_student(who)
    for _, browser in ipairs(cmsgpack.unpack(redis.call('HGET', class, 'browsers:' .. who))) do
        redis.call('HDEL', class, 'browser:' .. browser)
    end
    redis.call('HDEL', class, 'taken:' .. redis.call('HGET', class, 'key:' .. who))
    local charts = redis.call('HGET', class, 'charts:' .. who)
    for _, chart in ipairs(charts and cmsgpack.unpack(charts) or {{}}) do
        redis.call('HDEL', class, 'chart:' .. chart[1], 'worth:' .. chart[1], 'costs:' .. chart[1])
    end
    for _, field in ipairs({{'student', 'version', 'key', 'browsers', 'name', 'seen', 'waits',
                             'play', 'plays', 'charts'}}) do
        redis.call('HDEL', class, field .. ':' .. who)
    end
    for one = 1, number('tournaments') do
        redis.call('HDEL', class, 'entry:' .. one .. ':' .. who)
    end
    redis.call('HINCRBY', class, 'members', -1)
end

local function add_browser(who, browser)
    local packed = redis.call('HGET', class, 'browsers:' .. who)
    local browsers = packed and cmsgpack.unpack(packed) or {{}}
    table.insert(browsers, browser)
    redis.call('HSET', class, 'browsers:' .. who, cmsgpack.pack(browsers))
    redis.call('HSET', class, 'browser:' .. browser, who)
end
"""

CREATE: Final = """
-- ARGV: the bytes, when it expires.
if redis.call('EXISTS', class) == 1 then return 0 end
redis.call('HSET', class, 'data', ARGV[1], 'expires', ARGV[2], 'version', 1, 'stop', 52,
           'next_card', 1)
redis.call('EXPIREAT', class, ARGV[2])
return 1
"""

LOAD: Final = """
-- ARGV: further fields. Answers with the numbers, the time, and those.
if redis.call('EXISTS', class) == 0 then return nil end
local found = redis.call('HMGET', class, unpack(NUMBERS))
table.insert(found, now())
for _, field in ipairs(ARGV) do table.insert(found, redis.call('HGET', class, field)) end
return found
"""

COMMIT: Final = """
-- ARGV: the version, students, claims and stop that were read; until when; what else is done, with
-- words between commas; the round that is over and its bytes; how many fields of the class are set,
-- and for each its name and value; for each student the number, the version, whether they stay,
-- their bytes, a new key and a new browser.
for place, field in ipairs({'version', 'students', 'claims', 'stop'}) do
    if number(field) ~= tonumber(ARGV[place]) then return 0 end
end
if redis.call('EXISTS', class) == 0 or tonumber(now()) > tonumber(ARGV[5]) then return 0 end
local does, over, bytes, fields = ',' .. ARGV[6] .. ',', ARGV[7], ARGV[8], tonumber(ARGV[9])
local first = 10 + 2 * fields
for i = first, #ARGV, 6 do
    if number('version:' .. ARGV[i]) ~= tonumber(ARGV[i + 1]) then return 0 end
    local who = redis.call('HGET', class, 'taken:' .. ARGV[i + 4])
    if ARGV[i + 4] ~= '' and who and who ~= ARGV[i] then return 0 end
end
local begins = does:find(',begins,')
for i = 10, first - 1, 2 do
    local value = ARGV[i + 1]
    if ARGV[i] == 'next_card' and not begins then
        value = math.max(tonumber(value), number('next_card'))
    end
    redis.call('HSET', class, ARGV[i], value)
end
for i = first, #ARGV, 6 do
    local who = ARGV[i]
    if ARGV[i + 2] == '0' then
        forget_student(who)
    else
        redis.call('HSET', class, 'student:' .. who, ARGV[i + 3])
        redis.call('HINCRBY', class, 'version:' .. who, 1)
        if ARGV[i + 4] ~= '' then
            redis.call('HDEL', class, 'taken:' .. redis.call('HGET', class, 'key:' .. who))
            redis.call('HSET', class, 'key:' .. who, ARGV[i + 4], 'taken:' .. ARGV[i + 4], who)
        end
        if ARGV[i + 5] ~= '' then add_browser(who, ARGV[i + 5]) end
    end
end
if first <= #ARGV then redis.call('HINCRBY', class, 'students', 1) end
if begins then
    for i = 1, number('claims') do
        local said = redis.call('HGET', class, 'claim:' .. i)
        local card, call = said:match('^(%d+) (%d+)')
        redis.call('HDEL', class, 'claim:' .. i, 'said:' .. card .. ':' .. call)
    end
    redis.call('HSET', class, 'claims', 0, 'right', 0)
end
if does:find(',goes on,') then redis.call('HSET', class, 'right', 0) end
if does:find(',forget names,') then
    for who = 1, number('joined') do redis.call('HDEL', class, 'name:' .. who) end
    redis.call('HDEL', class, 'roster')
end
if over ~= '' then
    redis.call('HSET', class, 'over:' .. over, bytes)
    redis.call('HDEL', class, 'over:' .. (tonumber(over) - MAX_FINISHED))
end
redis.call('EXPIREAT', class, number('expires'))
return 1
"""

TOUCH: Final = """
-- ARGV: when it shall expire at the soonest.
if redis.call('EXISTS', class) == 0 or number('expires') >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', class, 'expires', ARGV[1])
return redis.call('EXPIREAT', class, ARGV[1])
"""

JOIN: Final = """
-- ARGV: the version that was read, until when, how many students at most, the stop, the browser,
-- the key, the bytes, the real name, the receipt. Answers with the number, or with why not.
local known = redis.call('HGET', class, 'browser:' .. ARGV[5])
if known then return tonumber(known) end
if redis.call('EXISTS', class) == 0 or number('version') ~= tonumber(ARGV[1]) then
    return 'changed'
end
if tonumber(now()) > tonumber(ARGV[2]) then return 'changed' end
if number('members') >= tonumber(ARGV[3]) then return 'full' end
if redis.call('HEXISTS', class, 'taken:' .. ARGV[6]) == 1 then return 'taken' end
local who = redis.call('HINCRBY', class, 'joined', 1)
redis.call('HINCRBY', class, 'members', 1)
redis.call('HINCRBY', class, 'students', 1)
redis.call('HSET', class, 'student:' .. who, ARGV[7], 'version:' .. who, 1, 'key:' .. who, ARGV[6],
           'taken:' .. ARGV[6], who)
add_browser(who, ARGV[5])
if ARGV[9] ~= '' then add_browser(who, ARGV[9]) end
if ARGV[8] ~= '' then redis.call('HSET', class, 'name:' .. who, ARGV[8]) end
redis.call('HSET', class, 'stop', math.min(number('stop'), tonumber(ARGV[4])))
return who
"""

STUDENTS: Final = """
-- Answers with the number, the version and the bytes of each.
local found = {}
for who = 1, number('joined') do
    local data = redis.call('HGET', class, 'student:' .. who)
    if data then
        table.insert(found, {who, number('version:' .. who), data})
    end
end
return found
"""

STUDENT_OF: Final = """
-- ARGV: the browser.
local who = redis.call('HGET', class, 'browser:' .. ARGV[1])
if not who then return nil end
return {tonumber(who), number('version:' .. who), redis.call('HGET', class, 'student:' .. who)}
"""

SAVE_STUDENT: Final = """
-- ARGV: the number, the version that was read, the bytes.
if number('version:' .. ARGV[1]) ~= tonumber(ARGV[2]) or ARGV[2] == '0' then return 0 end
redis.call('HSET', class, 'student:' .. ARGV[1], ARGV[3])
redis.call('HINCRBY', class, 'version:' .. ARGV[1], 1)
return 1
"""

EACH: Final = """
-- ARGV: the beginning of some fields' names, and the field that says up to which number there are
-- any. Answers with number and value of each.
local found = {}
for one = 1, number(ARGV[2]) do
    local value = redis.call('HGET', class, ARGV[1] .. one)
    if value then table.insert(found, {one, value}) end
end
return found
"""

NOTE_PRESENCE: Final = """
-- ARGV: browser and place of each.
local at = now()
for i = 1, #ARGV, 2 do
    local who = redis.call('HGET', class, 'browser:' .. ARGV[i])
    if who then redis.call('HSET', class, 'seen:' .. who, at .. ' ' .. ARGV[i + 1]) end
end
return 1
"""

TAKE_CARD: Final = """
if redis.call('EXISTS', class) == 0 then return 1 end
return redis.call('HINCRBY', class, 'next_card', 1) - 1
"""

CLAIM: Final = """
-- ARGV: the version and round that were read, until when, the calls made then, the card, the call,
-- the heat, since when. Answers with the claim that is kept, or with nothing if all has changed.
if redis.call('EXISTS', class) == 0 or number('open') ~= 1 then return nil end
if number('version') ~= tonumber(ARGV[1]) or number('round') ~= tonumber(ARGV[2]) then
    return nil
end
local time = now()
if tonumber(time) > tonumber(ARGV[3]) then return nil end
local claim = table.concat({ARGV[5], ARGV[6], ARGV[7], ARGV[8]}, ' ')
local said = 'said:' .. ARGV[5] .. ':' .. ARGV[6]
local kept = redis.call('HGET', class, said)
if kept then return redis.call('HGET', class, 'claim:' .. kept) end
local place = redis.call('HINCRBY', class, 'claims', 1)
redis.call('HSET', class, 'claim:' .. place, claim, said, place)
if ARGV[8] ~= '0' then
    if number('right') == 0 then
        redis.call('HSET', class, 'calls', ARGV[4], 'since', time, 'stop', ARGV[4])
    end
    redis.call('HINCRBY', class, 'right', 1)
end
return claim
"""

SWAP_LINK: Final = """
-- KEYS: of the link, not of a class. ARGV: the bytes that were read, other bytes, for how long.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""
