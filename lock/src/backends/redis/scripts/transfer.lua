-- transfer: gives a held lock to another owner of the same process. Whoever is in line goes first, and the other owner
-- then takes a place at the end.
-- In:  for all ttl, who, heartbeat; for each owner, next owner
-- Out: 'granted <token>', 'waiting …' as in step.lua, 'gone' (the next was withdrawn; the hold has ended all the same), or
--      'not-held': the hold was over, and the next has nothing
local function full(key, at)
  local ttl, who, heartbeat, tail = ARGV[1], ARGV[2], ARGV[3], beside(key)
  local owner, next_owner = ARGV[at], ARGV[at + 1]
  local fields = fields_of(key, owner, next_owner, 'turns') or {}
  if is_withdrawn(tail, next_owner) then
    if not fields[1] then return 'not-held' end
    let_go(key, tail, fields[3])
    return 'gone'
  end
  if not fields[1] then
    -- This very request may have been done already: then the next has the lock or its place.
    local known = fields[2] or redis.call('HEXISTS', 'holdfast.waiters' .. tail, next_owner) == 1
    if known then return step(key, next_owner, false) end
    return 'not-held'
  end
  local turns, first = (tonumber(fields[3]) or 0) + 1, first_in_line(tail)
  if turns <= 32 and not first then
    redis.call('DEL', key)
    return 'granted ' .. take(key, tail, next_owner, ttl, who, turns)
  end
  local known = entry_of(tail, next_owner)
  local token, claim = let_go(key, tail, fields[3])
  if known or first and not token then return step(key, next_owner, true) end
  -- Where nobody waits it is the turn of clients of another layout, if any: the next does not take the lock at once.
  stand(tail, next_owner, ttl, heartbeat, who)
  local reply = 'waiting ' .. (token or last_token(tail))
  if first_in_line(tail).owner ~= next_owner then return reply end
  return reply .. ' ' .. (claim or math.max(0, pause_of(tail)))
end
