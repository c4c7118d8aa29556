-- acquire: the vote of this server goes to the owner, if nobody has it.
-- In:  for all ttl; for each the value, which begins with the owner
-- Out: 'granted', also when the same owner asks again; 'busy <rest of the TTL of whoever has it>'; 'withdrawn'
local function full(key, at)
  local value = ARGV[at]
  local owner = string.match(value, '^%S+')
  if redis.call('EXISTS', mark_of(key, owner)) == 1 then return 'withdrawn' end
  if redis.call('SET', key, value, 'NX', 'PX', ARGV[1]) then return 'granted' end
  if is_of(key, owner) then
    redis.call('PEXPIRE', key, ARGV[1])
    return 'granted'
  end
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'string' and kind ~= 'hash' then error('CONFIG type ' .. kind, 0) end
  local remaining = redis.call('PTTL', key)
  if remaining == -1 then error('CONFIG expiry ' .. kind, 0) end
  return 'busy ' .. remaining
end
