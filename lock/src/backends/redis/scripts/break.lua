-- break: takes the lock from the holder that an operator has seen, tells it, and gives the lock to the first in line.
-- In:  for all: for how many ms the owner id is refused from now on; for each the owner that was seen (empty: nobody)
-- Out: 'broken <token>': every later token is larger, and it is larger than that of the broken holder
--      'changed': somebody else has the lock by now, so that nothing was done
-- It names the holder, and remembers what it answered, so that a request that is sent twice does not break the next
-- one's lock, too.
local function is_there(owner, key, kind)
  if kind == 'none' then return owner == '' end
  if kind == 'string' then return redis.call('GETRANGE', key, '0', '511') == owner end
  if kind == 'hash' then return redis.call('HEXISTS', key, owner) == 1 end
  error('CONFIG type ' .. kind, 0)
end

local function full(key, at)
  local refuse_ms, owner, tail = ARGV[1], ARGV[at], beside(key)
  local mark = 'holdfast.withdrawn' .. tail .. ':' .. owner
  local kind = redis.call('TYPE', key).ok
  if not is_there(owner, key, kind) then
    local before = redis.call('GET', mark)
    if before and string.find(before, '^broken ') then return before end
    return 'changed'
  end
  if kind ~= 'none' and redis.call('PTTL', key) == -1 then error('CONFIG expiry ' .. kind, 0) end

  drop(tail, owner) -- a write that needs no memory, so that a full server takes the others, too
  local reply = 'broken ' .. next_token(tail)
  local fields = fields_of(key, 'who', 'turns') or {}
  if kind ~= 'none' then redis.call('SET', mark, reply, 'PX', refuse_ms) end
  -- A holder listens to the inbox that its process has for all locks.
  local inbox = fields[1] and string.match(fields[1], '^@?(%S*)')
  if inbox then redis.pcall('PUBLISH', 'holdfast.inbox:' .. inbox, 'broken ' .. owner) end
  let_go(key, tail, fields[2])
  return reply
end
