-- withdraw: leaves the line; if this owner has the lock, the first in line gets it.
-- In:  owner, for how many ms the owner id is refused from now on (0: it is not)
-- Out: 'done'
-- Leaving is a write that needs no memory, so it comes first: a full server then takes the refusal, too.
operations.withdraw = {
  width = 2,
  run = function(key, at)
    local owner, refuse_ms = ARGV[at], ARGV[at + 1]
    local tail = beside(key)
    drop(tail, owner)
    if refuse_ms ~= '0' then redis.call('SET', WITHDRAWN .. tail .. ':' .. owner, 'withdrawn', 'PX', refuse_ms) end
    local kind = redis.call('TYPE', key).ok
    if kind == 'hash' then
      local fields = redis.call('HMGET', key, owner, 'turns')
      if fields[1] then let_go(key, tail, fields[2]) end
    elseif kind == 'none' and redis.call('EXISTS', QUEUE .. tail) == 1 then
      -- The one who leaves may have been the one who would have taken the free lock.
      local time = redis.call('TIME')
      local first = first_in_line(tail, ms_of(time))
      if first then hand_over(key, tail, time, first) end
    end
    return 'done'
  end,
}
