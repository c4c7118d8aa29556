-- The quick way of acquire and enter: nobody has the lock, nobody waits for it, this owner id was not withdrawn (one look
-- for all three), and the clock is ahead of the last token. Then it does what take.lua does, in the same order.
local function quick(key, tail, at)
  local owner, counter = ARGV[at], 'holdfast.token' .. tail
  if redis.call('EXISTS', key, 'holdfast.queue' .. tail, 'holdfast.withdrawn' .. tail .. ':' .. owner) > 0 then
    return nil
  end
  local last = redis.call('SET', counter, now, 'EX', '604800', 'GET')
  if last and (#last ~= #now or last >= now) then
    redis.call('SET', counter, last, 'EX', '604800')
    return nil
  end
  redis.call('HSET', key, owner, '1', 'token', now, 'who', ARGV[2])
  if redis.pcall('PEXPIRE', key, ARGV[1]) == 1 then return 'granted ' .. now end
  redis.pcall('DEL', key)
end
