-- The quick way of acquire and enter: nobody has the lock, nobody waits for it, and this owner id was not withdrawn.
-- One look for all three.
local function quick(key, at)
  local owner, tail = ARGV[at], beside(key)
  if redis.call('EXISTS', key, 'holdfast.queue' .. tail, 'holdfast.withdrawn' .. tail .. ':' .. owner) > 0 then
    return nil
  end
  return 'granted ' .. take(key, tail, owner, ARGV[1], ARGV[2])
end
