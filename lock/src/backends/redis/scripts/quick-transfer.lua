-- The quick way of transfer: this owner holds, nobody waits, and the next one was not withdrawn. Not too many times in
-- a row, see queue.lua.
local function quick(key, tail, at)
  local next_owner = ARGV[at + 1]
  if redis.call('EXISTS', 'holdfast.queue' .. tail, 'holdfast.withdrawn' .. tail .. ':' .. next_owner) > 0 then
    return nil
  end
  local fields = redis.call('HMGET', key, ARGV[at], 'turns')
  local turns = (tonumber(fields[2]) or 0) + 1
  if not fields[1] or turns > 32 then return nil end
  redis.call('DEL', key)
  return 'granted ' .. take(key, tail, next_owner, ARGV[1], ARGV[2], turns)
end
