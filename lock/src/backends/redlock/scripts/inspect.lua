-- inspect: who has the vote of this server.
-- In:  -
-- Out: 'free', or '<type> <rest of the TTL> <beginning of the value, of a string>'
local function full(key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then return 'free' end
  local value = kind == 'string' and redis.call('GETRANGE', key, '0', '1023') or ''
  return kind .. ' ' .. redis.call('PTTL', key) .. ' ' .. value
end
