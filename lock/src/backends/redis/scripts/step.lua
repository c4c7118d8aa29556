-- enter, stay: one step of waiting. `enter` takes the lock or a place at the end of the line; again with the same owner
-- id it keeps that place. `stay` is the heartbeat: it makes no entry.
-- In:  owner, ttl, heartbeat, who
-- Out: 'granted <ttl> <token>'
--      'waiting', and for the first in line 'waiting <rest of the holder's TTL>'; where the holder is of another layout
--      'waiting <rest> string', or 'waiting <rest> hash <channel on which its release is told>'
--      'gone': this owner id has no place, and gets none
-- A free lock goes to the first in line, whoever asks.

local function step(key, at, may_enter)
  local owner, ttl, heartbeat, who = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if who == '' then who = ARGV[1] end
  local tail = beside(key)
  if may_enter then
    local token = take_if_idle(key, tail, owner, ttl, who)
    if token then return granted(ttl, token) end
  end
  if refused(tail, owner) then return 'gone' end

  local state, remaining, held = look(key, owner)
  if state == 'mine' then
    redis.call('PEXPIRE', key, ttl)
    return granted(ttl, held)
  end
  local time = redis.call('TIME')
  local now = ms_of(time)
  local entry = entry_of(tail, owner, now)
  if not entry and not may_enter then return 'gone' end
  local first = first_in_line(tail, now)
  if state == 'free' then
    if not first or first.owner == owner then
      if first then drop(tail, owner) end
      return granted(ttl, take(key, tail, time, owner, ttl, who))
    end
    state, remaining = 'ours', hand_over(key, tail, time, first)
    first = first_in_line(tail, now)
  end

  stand(tail, now, owner, ttl, heartbeat, who, entry)
  if first and first.owner ~= owner then return 'waiting' end
  local reply = 'waiting ' .. remaining
  if state == 'string' then return reply .. ' string' end
  if state == 'hash' then return reply .. ' hash ' .. channel_of(key) end
  return reply
end

operations.enter = {
  width = 4,
  run = function(key, at)
    return step(key, at, true)
  end,
}

operations.stay = {
  width = 4,
  run = function(key, at)
    return step(key, at, false)
  end,
}
