-- How the lock is taken: the token, and the lock's own key.
--
-- The key is a HASH in the layout of Redisson's RLock: one field is the owner id with the value 1. Beside it stand
-- `token`, `who` (inbox, pid, host, purpose, with a space between), `turns` (hand-overs in a row that led here) and, only
-- where the token does not tell it, `since`. They end with the key.

-- Larger than every token before, as long as either the counter or the clock remembers: the time of the server in
-- microseconds, or one more than the last where that is ahead. Kept for seven days. The first write of a grant, so that
-- a server which is full, read-only or short of replicas refuses here, with nothing done. Gives the time, too, if the
-- token is ahead of it.
local function next_token(tail)
  local counter = 'holdfast.token' .. tail
  local last = redis.call('SET', counter, now, 'EX', '604800', 'GET')
  if not last or (#last == #now and last < now) then return now end
  local number = string.find(last, '^%d+$') and tonumber(last)
  if not number or number >= 9007199254740992 then
    redis.call('SET', counter, last)
    error('CONFIG counter ' .. counter, 0)
  end
  if number < tonumber(now) then return now end
  local token = string.format('%.0f', number + 1)
  redis.call('SET', counter, token, 'EX', '604800')
  return token, now
end

-- Puts the owner at the lock's key, which must be free. Gives the token. Never leaves a key without an expiry.
local function take(key, tail, owner, ttl, who, turns)
  local token, since = next_token(tail)
  if turns then
    redis.call('HSET', key, owner, '1', 'token', token, 'who', who, 'turns', turns)
  else
    redis.call('HSET', key, owner, '1', 'token', token, 'who', who)
  end
  local expiry = redis.pcall('PEXPIRE', key, ttl)
  if expiry ~= 1 then
    redis.pcall('DEL', key)
    error(expiry.err, 0)
  end
  if since then redis.call('HSET', key, 'since', since) end
  return token
end
