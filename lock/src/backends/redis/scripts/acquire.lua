-- acquire: tries once, and does not queue.
-- In:  for all ttl, who; for each owner
-- Out: 'granted <token>', or 'busy <rest of the holder's TTL>', or 'busy' where nobody knows for how long
-- Asking again with the same owner id gives the same grant, with its TTL counted anew.
local function full(key, at)
  local ttl, who, owner, tail = ARGV[1], ARGV[2], ARGV[at], beside(key)
  if is_withdrawn(tail, owner) then return 'busy' end
  local state, remaining, held = look(key, owner)
  if state == 'mine' then
    redis.call('PEXPIRE', key, ttl)
    return 'granted ' .. held
  end
  if state ~= 'free' then return 'busy ' .. remaining end
  local pause = pause_of(tail)
  if pause > 0 then return 'busy ' .. pause end
  local first = first_in_line(tail) and pop_first(tail)
  if first then return 'busy ' .. select(2, hand_over(key, tail, first)) end
  return 'granted ' .. take(key, tail, owner, ttl, who)
end
