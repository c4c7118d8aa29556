-- The line of waiters, and how the lock goes from one owner to the next.
--
-- A waiter's entry is "silent-until since ttl heartbeat who": two points on the server's clock and two spans, in
-- milliseconds, and who it is. Who has been silent for three heartbeats is dead, and is dropped by whoever comes by.

local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

-- Tells a waiter's process something about this lock. The first word of `who` is its inbox; an @ before it says that
-- the process listens on the shard of a cluster, where it has an inbox for each lock.
local function tell(tail, who, message)
  local shard, inbox = string.match(who, '^(@?)(%S*)')
  if shard == '@' then
    redis.pcall('SPUBLISH', 'holdfast.inbox:' .. inbox .. tail, message)
  else
    redis.pcall('PUBLISH', 'holdfast.inbox:' .. inbox, message)
  end
end

local function drop(tail, owner)
  redis.call('ZREM', 'holdfast.queue' .. tail, owner)
  redis.call('HDEL', 'holdfast.waiters' .. tail, owner)
end

-- The entry of a waiter that is alive, or nil; a dead one is dropped.
local function entry_of(tail, owner)
  local text = redis.call('HGET', 'holdfast.waiters' .. tail, owner)
  if not text then return nil end
  local silent_until, since, ttl, heartbeat, who = string.match(text, '^(%d+) (%d+) (%d+) (%d+) (.*)$')
  if tonumber(silent_until) > now_ms then
    return { owner = owner, since = since, ttl = tonumber(ttl), heartbeat = tonumber(heartbeat), who = who }
  end
  drop(tail, owner)
  return nil
end

-- The first in line that is alive, or nil. Drops the dead in front of it.
local function first_in_line(tail)
  while true do
    local owner = redis.call('ZRANGE', 'holdfast.queue' .. tail, '0', '0')[1]
    if not owner then return nil end
    local entry = entry_of(tail, owner)
    if entry then return entry end
    drop(tail, owner)
  end
end

-- The same, taken out of the line. Popping is a write that needs no memory even where there is nobody, and would set a
-- script free to take a lock on a full server: so look first, where it is not a release.
local function pop_first(tail)
  while true do
    local owner = redis.call('ZPOPMIN', 'holdfast.queue' .. tail)[1]
    if not owner then return nil end
    local entry = entry_of(tail, owner)
    redis.call('HDEL', 'holdfast.waiters' .. tail, owner)
    if entry then return entry end
  end
end

-- Takes a place at the end, or keeps the one that `entry` has; either way this is a sign of life. On a full server a
-- new place is refused (its first write is), and an old one is kept (its first write needs no memory).
local function stand(tail, owner, ttl, heartbeat, who, entry)
  local queue, waiters = 'holdfast.queue' .. tail, 'holdfast.waiters' .. tail
  if not entry then
    local last = redis.call('ZRANGE', queue, '-1', '-1', 'WITHSCORES')[2]
    redis.call('ZADD', queue, (last or 0) + 1, owner)
  end
  local silent_ms = 3 * heartbeat
  local keep_ms = math.max(redis.call('PTTL', queue), silent_ms)
  redis.call('PEXPIRE', queue, keep_ms)
  local since = entry and entry.since or string.format('%.0f', now_ms)
  local text = string.format('%.0f %s %s %s ', now_ms + silent_ms, since, ttl, heartbeat) .. who
  redis.call('HSET', waiters, owner, text)
  redis.call('PEXPIRE', waiters, keep_ms)
end

-- Gives a free lock to a waiter that is out of the line already, and tells it. The waiter may just have died, so the
-- grant is good for two heartbeats only, until its first renewal makes it the full TTL. Gives the token, and the length
-- of that claim.
local function hand_over(key, tail, entry, turns)
  local claim = math.min(entry.ttl, 2 * entry.heartbeat)
  local token = take(key, tail, entry.owner, claim, entry.who, turns)
  tell(tail, entry.who, 'granted ' .. token .. ' ' .. claim .. ' ' .. entry.owner)
  return token, claim
end

-- For how many ms a free lock is still left to clients of another layout; 0 or less: it is not.
local function pause_of(tail)
  return redis.call('PTTL', 'holdfast.pause' .. tail)
end

-- Ends the hold at the lock's key; the first in line gets the lock, and what it got is given back. `turns` is what the ended hold had: after 32
-- hand-overs in a row the key is left free once, and for 10 ms if anybody of Redisson's layout waits for it, since ours
-- would be quicker every time. Deleting comes first: it needs no memory and sets the script free to write, so that a
-- release works on a full server, too.
local function let_go(key, tail, turns)
  turns = (tonumber(turns) or 0) + 1
  redis.call('DEL', key)
  local first
  if turns <= 32 then
    first = pop_first(tail)
    if first then
      local ok, token, claim = pcall(hand_over, key, tail, first, turns)
      if ok then return token, claim end
    end
  else
    first = first_in_line(tail)
  end
  local listeners = redis.pcall(PUBLISH, channel_of(key), '0')
  if turns > 32 and listeners ~= 0 then redis.pcall('SET', 'holdfast.pause' .. tail, '1', 'PX', '10') end
  if first then tell(tail, first.who, 'step ' .. first.owner) end
end

-- The fields of the lock's key, or nil where somebody keeps a value of another type there.
local function fields_of(key, ...)
  local fields = redis.pcall('HMGET', key, ...)
  if not fields.err then return fields end
  if string.find(fields.err, 'WRONGTYPE', 1, true) then return nil end
  error(fields.err, 0)
end

-- Who has the lock: 'free', 'mine', 'ours', or of another layout 'string' or 'hash'; with the rest of the TTL, and the
-- token where it is mine. What cannot be a lock is an error, and is left as it is.
local function look(key, owner)
  local fields = fields_of(key, owner, 'token')
  local remaining = redis.call('PTTL', key)
  if remaining == -2 then return 'free' end
  local kind = fields and 'hash' or redis.call('TYPE', key).ok
  if kind ~= 'hash' and kind ~= 'string' then error('CONFIG type ' .. kind, 0) end
  if remaining == -1 then error('CONFIG expiry ' .. kind, 0) end
  if kind == 'string' or not fields[2] then return kind, remaining end
  if fields[1] then return 'mine', remaining, fields[2] end
  return 'ours', remaining
end

local function is_withdrawn(tail, owner)
  return redis.call('EXISTS', 'holdfast.withdrawn' .. tail .. ':' .. owner) == 1
end
