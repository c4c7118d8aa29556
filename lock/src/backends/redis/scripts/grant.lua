-- How the lock is taken: the token, and the lock's own key.
--
-- The key is a HASH in the layout of Redisson's RLock: one field is the owner id with the value 1. Beside it stand
-- `token`, `who` (JSON: inbox, host, pid, purpose), `turns` (hand-overs in a row that led here) and, only where the
-- token does not tell it, `since`. They end with the key.

local COUNTER_KEPT_S = 604800
local LARGEST_EXACT = 9007199254740992

local function ms_of(time)
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Larger than every token before, as long as either the counter or the clock remembers: the time of the server in
-- microseconds, or one more than the last where that is ahead. The first write of a grant, so that a server which is
-- full, read-only or short of replicas refuses here, with nothing done.
local function next_token(tail, time)
  local token = string.format('%.0f', time[1] * 1000000 + time[2])
  local counter = COUNTER .. tail
  local last = redis.call('SET', counter, token, 'EX', COUNTER_KEPT_S, 'GET')
  if not last or (#last == #token and last < token) then return token end
  local number = string.find(last, '^%d+$') and tonumber(last)
  if not number or number >= LARGEST_EXACT then
    redis.call('SET', counter, last)
    error('CONFIG counter ' .. counter, 0)
  end
  if number < tonumber(token) then return token end
  token = string.format('%.0f', number + 1)
  redis.call('SET', counter, token, 'EX', COUNTER_KEPT_S)
  return token, ms_of(time)
end

-- Puts the owner at the lock's key, which must be free. Gives the token. Never leaves a key without an expiry.
local function take(key, tail, time, owner, ttl, who, turns)
  local token, since = next_token(tail, time)
  redis.call('HSET', key, owner, '1', 'token', token, 'who', who)
  local expiry = redis.pcall('PEXPIRE', key, ttl)
  if type(expiry) == 'table' then
    redis.pcall('DEL', key)
    error(expiry.err, 0)
  end
  if since then redis.call('HSET', key, 'since', string.format('%.0f', since)) end
  if turns then redis.call('HSET', key, 'turns', turns) end
  return token
end

-- Takes the lock if nobody has it, waits for it, or has withdrawn this owner id. One look for all three.
local function take_if_idle(key, tail, owner, ttl, who)
  if redis.call('EXISTS', key, QUEUE .. tail, WITHDRAWN .. tail .. ':' .. owner) > 0 then return nil end
  return take(key, tail, redis.call('TIME'), owner, ttl, who)
end

-- Who has the lock: 'free', 'mine', 'ours', or of another layout 'string' or 'hash'; with the rest of the TTL, and the
-- token where it is mine. What cannot be a lock is an error, and is left as it is.
local function look(key, owner)
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then return 'free' end
  if kind ~= 'hash' and kind ~= 'string' then error('CONFIG type ' .. kind, 0) end
  local remaining = redis.call('PTTL', key)
  if remaining == -2 then return 'free' end
  if remaining == -1 then error('CONFIG expiry ' .. kind, 0) end
  if kind == 'string' then return kind, remaining end
  local fields = redis.call('HMGET', key, owner, 'token')
  if not fields[2] then return kind, remaining end
  if fields[1] then return 'mine', remaining, fields[2] end
  return 'ours', remaining
end

local function refused(tail, owner)
  return redis.call('EXISTS', WITHDRAWN .. tail .. ':' .. owner) == 1
end

local function granted(ttl, token)
  return 'granted ' .. ttl .. ' ' .. token
end
