-- One step of waiting, for enter.lua, stay.lua and transfer.lua.

-- The last token that was given out, to anyone; a waiter tells by it whether a hand-over is older than its own answer.
local function last_token(tail)
  local last = redis.call('GET', 'holdfast.token' .. tail)
  return last and string.find(last, '^%d+$') and last or '0'
end

-- Out: 'granted <token>'
--      'waiting <last token>', and for the first in line 'waiting <last token> <rest of the holder's TTL>'; where the
--      holder is of another layout '… <rest> string', or '… <rest> hash <channel on which its release is told>'
--      'gone': this owner id has no place, and gets none
-- A free lock goes to the first in line, whoever asks.
local function step(key, owner, may_enter)
  local ttl, who, heartbeat, tail = ARGV[1], ARGV[2], ARGV[3], beside(key)
  if is_withdrawn(tail, owner) then return 'gone' end
  local state, remaining, held = look(key, owner)
  if state == 'mine' then
    redis.call('PEXPIRE', key, ttl)
    return 'granted ' .. held
  end
  local entry = entry_of(tail, owner)
  if not entry and not may_enter then return 'gone' end
  local pause = state == 'free' and pause_of(tail) or 0
  if pause > 0 then
    remaining = pause
  elseif state == 'free' then
    local first = first_in_line(tail) and pop_first(tail)
    if not first or first.owner == owner then return 'granted ' .. take(key, tail, owner, ttl, who) end
    state, remaining = 'ours', select(2, hand_over(key, tail, first))
  end

  stand(tail, owner, ttl, heartbeat, who, entry)
  local reply = 'waiting ' .. last_token(tail)
  if first_in_line(tail).owner ~= owner then return reply end
  reply = reply .. ' ' .. remaining
  if state == 'string' then return reply .. ' string' end
  if state == 'hash' then return reply .. ' hash ' .. channel_of(key) end
  return reply
end
