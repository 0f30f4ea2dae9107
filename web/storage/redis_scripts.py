"""What Redis runs alone, in Lua: each script reads and writes one key.

A session's rounds are fields of its own hash, so neither outlives the other. For each table there
is the newest round's number in ``last:war``, and sixteen rounds a field, packed: ``log:war:3`` has
those numbered 48 to 63. A field for each would take twice the memory.

``SHARED`` stands before every one of them.

Redis takes nothing back when a script fails: so first all is read, and only then is all written.
"""

from typing import Final

from web.storage.protocol import ESTABLISHED, LIFETIME, MAX_RESULTS, MAX_ROUNDS

_LIMITS: Final = f"""
local LIFETIME, MAX_ROUNDS, MAX_RESULTS = {LIFETIME}, {MAX_ROUNDS}, {MAX_RESULTS}
local ESTABLISHED = {ESTABLISHED}
local A_FIELD = 16  -- rounds
"""

SHARED: Final = (
    _LIMITS
    + """
-- KEYS: the session.
local session = KEYS[1]
local fields, gone = {}, {}  -- what is to be written, and which fields are to go

local function held(field)
    if fields[field] then return fields[field] end
    local found = redis.pcall('HGET', session, field)
    return type(found) == 'string' and found or nil  -- an error where there is no hash
end

local function field_of(game, number)
    return 'log:' .. game .. ':' .. math.floor(number / A_FIELD)
end

-- The rounds of one field by their numbers as texts, and whether they can be read.
local function unpacked(packed)
    if not packed then return {}, true end
    local ok, rounds = pcall(cmsgpack.unpack, packed)
    if ok and type(rounds) == 'table' then return rounds, true end
    return {}, false
end

-- The number of the newest round; behind every field there is where it cannot be read.
local function newest_of(game)
    local kept = held('last:' .. game)
    if not kept then return 0 end
    if string.match(kept, '^%d+$') then return tonumber(kept) end
    local newest, prefix = 0, 'log:' .. game .. ':'
    for _, field in ipairs(redis.call('HKEYS', session)) do
        local place = tonumber(string.sub(field, #prefix + 1))
        if string.sub(field, 1, #prefix) == prefix and place then
            newest = math.max(newest, place * A_FIELD + A_FIELD - 1)
        end
    end
    return newest
end

-- Put a round behind the newest; behind the whole field where that cannot be read.
local function append(game, data, least)
    local newest = newest_of(game)
    local number = math.max(newest + 1, least or 0)
    local rounds, readable = unpacked(held(field_of(game, number)))
    if not readable then
        number = (math.floor(number / A_FIELD) + 1) * A_FIELD
        rounds = {}
    end
    rounds[tostring(number)] = data
    fields[field_of(game, number)] = cmsgpack.pack(rounds)
    fields['last:' .. game] = tostring(number)
    local first = math.max(0, math.floor((newest - MAX_ROUNDS + 1) / A_FIELD))
    local last = math.floor((number - MAX_ROUNDS + 1) / A_FIELD) - 1
    for place = first, math.min(last, math.floor(newest / A_FIELD)) do
        table.insert(gone, 'log:' .. game .. ':' .. place)
    end
end

-- Put what an older version of the site has kept, under other names, behind the newest.
local function take_over(game)
    local newest = tonumber(held('newest:' .. game) or nil)
    if not newest then return end
    for place = math.max(0, math.floor((newest - MAX_ROUNDS + 1) / A_FIELD)),
            math.floor(newest / A_FIELD) do
        local field = 'rounds:' .. game .. ':' .. place
        local rounds = unpacked(held(field))
        for number = place * A_FIELD, place * A_FIELD + A_FIELD - 1 do
            local data = rounds[tostring(number)]
            if data and number > newest - MAX_ROUNDS then append(game, data, number) end
        end
        table.insert(gone, field)
    end
    table.insert(gone, 'newest:' .. game)
end

local function write()
    for _, field in ipairs(gone) do
        fields[field] = nil
        redis.call('HDEL', session, field)
    end
    for field, value in pairs(fields) do redis.call('HSET', session, field, value) end
end
"""
)

SAVE: Final = """
-- ARGV: the version read, the next, the bytes; and for each finished round its table, and bytes.
local kind = redis.call('TYPE', session)['ok']
local version = held('version')
if not version or not string.match(version, '^%d+$') then version = '0' end
if version ~= ARGV[1] then return 0 end
for i = 4, #ARGV, 2 do
    take_over(ARGV[i])
    append(ARGV[i], ARGV[i + 1])
end
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', session) end
redis.call('HSET', session, 'version', ARGV[2], 'data', ARGV[3])
write()
redis.call('EXPIRE', session, LIFETIME)
return 1
"""

ROUNDS: Final = """
-- ARGV: the table, and the one number that is asked for, if any.
local game = ARGV[1]
take_over(game)
write()
local newest = newest_of(game)
local first, last = math.max(1, newest - MAX_ROUNDS + 1), newest
if ARGV[2] then
    first, last = math.max(first, tonumber(ARGV[2])), math.min(last, tonumber(ARGV[2]))
end
local found = {}
for place = math.floor(last / A_FIELD), math.floor(first / A_FIELD), -1 do
    local rounds = unpacked(held('log:' .. game .. ':' .. place))
    for number = math.min(last, (place + 1) * A_FIELD - 1), math.max(first, place * A_FIELD), -1 do
        local data = rounds[tostring(number)]
        if data then table.insert(found, {number, data}) end
    end
end
return found
"""

AMEND: Final = """
-- ARGV: the table, and for each round its number, the bytes it should have, and those it gets.
local game = ARGV[1]
for i = 2, #ARGV, 3 do
    local rounds = unpacked(held(field_of(game, tonumber(ARGV[i]))))
    if rounds[ARGV[i]] == ARGV[i + 1] then
        rounds[ARGV[i]] = ARGV[i + 2]
        fields[field_of(game, tonumber(ARGV[i]))] = cmsgpack.pack(rounds)
    end
end
write()
return 1
"""

DROP_NEW: Final = """
-- KEYS: perhaps a session. ARGV: for how many seconds one must have been left to give way.
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' then return 0 end
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or ESTABLISHED) or 0
if version >= ESTABLISHED or redis.call('TTL', KEYS[1]) > LIFETIME - ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""

KEEP_DEAL: Final = """
-- KEYS: the deal. ARGV: its bytes.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'data', ARGV[1])
redis.call('EXPIRE', KEYS[1], LIFETIME)
return 1
"""

ADD_RESULT: Final = """
-- KEYS: the deal. ARGV: the field of the player's result, and its bytes.
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' then return 0 end
local place = redis.call('HLEN', KEYS[1])  -- 1 for the deal's own bytes
if place > MAX_RESULTS then return 0 end
return redis.call('HSETNX', KEYS[1], ARGV[1], place .. ':' .. ARGV[2])
"""
