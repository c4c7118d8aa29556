-- The line of waiters, and how the lock goes from one owner to the next.
--
-- A waiter's entry is "silent-until since ttl heartbeat who": two points on the server's clock and two spans, in
-- milliseconds, and its JSON. Who has been silent for three heartbeats is dead, and is dropped by whoever comes by.

local SILENT_HEARTBEATS = 3
local CLAIM_HEARTBEATS = 2
-- After so many hand-overs in a row the key is left free once, so that clients of another layout get their chance.
local MOST_TURNS = 32

local function drop(tail, owner)
  redis.call('ZREM', QUEUE .. tail, owner)
  redis.call('HDEL', WAITERS .. tail, owner)
end

-- The entry of a waiter that is alive, or nil; a dead one is dropped.
local function entry_of(tail, owner, now)
  local text = redis.call('HGET', WAITERS .. tail, owner)
  if not text then return nil end
  local silent_until, since, ttl, heartbeat, who = string.match(text, '^(%d+) (%d+) (%d+) (%d+) (.*)$')
  if tonumber(silent_until) > now then
    return { owner = owner, since = since, ttl = tonumber(ttl), heartbeat = tonumber(heartbeat), who = who }
  end
  drop(tail, owner)
  return nil
end

-- The first in line that is alive, or nil. Drops the dead in front of it.
local function first_in_line(tail, now)
  while true do
    local owner = redis.call('ZRANGE', QUEUE .. tail, 0, 0)[1]
    if not owner then return nil end
    local entry = entry_of(tail, owner, now)
    if entry then return entry end
    drop(tail, owner)
  end
end

-- Takes a place at the end, or keeps the one that `entry` has; either way this is a sign of life. On a full server a
-- new place is refused (its first write is), and an old one is kept (its first write needs no memory).
local function stand(tail, now, owner, ttl, heartbeat, who, entry)
  local queue, waiters = QUEUE .. tail, WAITERS .. tail
  if not entry then
    local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
    redis.call('ZADD', queue, (last or 0) + 1, owner)
  end
  local silent_ms = SILENT_HEARTBEATS * heartbeat
  local keep_ms = math.max(redis.call('PTTL', queue), silent_ms)
  redis.call('PEXPIRE', queue, keep_ms)
  local since = entry and entry.since or string.format('%.0f', now)
  local text = string.format('%.0f %s %s %s ', now + silent_ms, since, ttl, heartbeat) .. who
  redis.call('HSET', waiters, owner, text)
  redis.call('PEXPIRE', waiters, keep_ms)
end

-- Gives a free lock to a waiter, and tells it. The waiter may just have died, so the grant is good for two heartbeats
-- only, until its first renewal makes it the full TTL. Gives the length of that claim.
local function hand_over(key, tail, time, entry, turns)
  local claim = math.min(entry.ttl, CLAIM_HEARTBEATS * entry.heartbeat)
  drop(tail, entry.owner)
  local token = take(key, tail, time, entry.owner, claim, entry.who, turns)
  redis.pcall('PUBLISH', inbox_of(entry.who), granted(claim, token) .. ' ' .. entry.owner)
  return claim
end

-- Ends the hold at the lock's key; the first in line gets the lock. `turns` is what the ended hold had. Deleting comes
-- first: it needs no memory and sets the script free to write, so that a release works on a full server, too.
local function let_go(key, tail, turns)
  local time = redis.call('TIME')
  local first = redis.call('EXISTS', QUEUE .. tail) == 1 and first_in_line(tail, ms_of(time))
  redis.call('DEL', key)
  local hops = (tonumber(turns) or 0) + 1
  if first and hops <= MOST_TURNS and pcall(hand_over, key, tail, time, first, hops) then return end
  redis.pcall('PUBLISH', channel_of(key), '0')
  if first then redis.pcall('PUBLISH', inbox_of(first.who), 'step ' .. first.owner) end
end
