-- withdraw: leaves the line; if this owner has the lock, the first in line gets it.
-- In:  for all: for how many ms the owner id is refused from now on (0: it is not); for each owner
-- Out: 'done'
-- Leaving is a write that needs no memory, so it comes first: a full server then takes the refusal, too.
local function full(key, at)
  local refuse_ms, owner, tail = ARGV[1], ARGV[at], beside(key)
  drop(tail, owner)
  if refuse_ms ~= '0' then
    redis.call('SET', 'holdfast.withdrawn' .. tail .. ':' .. owner, 'withdrawn', 'PX', refuse_ms)
  end
  local fields = fields_of(key, owner, 'turns')
  if fields and fields[1] then
    let_go(key, tail, fields[2])
  elseif redis.call('EXISTS', 'holdfast.queue' .. tail) == 1 and redis.call('EXISTS', key, 'holdfast.pause' .. tail) == 0 then
    -- The one who leaves may have been the one who would have taken the free lock.
    local first = pop_first(tail)
    if first then hand_over(key, tail, first) end
  end
  return 'done'
end
