-- break: takes the lock from the holder that an operator has seen, tells it, and gives the lock to the first in line.
-- In:  the owner that was seen (empty: nobody), for how many ms its owner id is refused from now on
-- Out: 'broken <token>': every later token is larger, and it is larger than that of the broken holder
--      'changed': somebody else has the lock by now, so that nothing was done
-- Because it names the holder, a request that is sent twice does not break the next one's lock, too.

local function seen(key, kind, owner)
  if kind == 'none' then return owner == '' end
  if kind == 'string' then return redis.call('GETRANGE', key, 0, 511) == owner end
  if kind == 'hash' then return redis.call('HEXISTS', key, owner) == 1 end
  error('CONFIG type ' .. kind, 0)
end

operations['break'] = {
  width = 2,
  run = function(key, at)
    local owner, refuse_ms = ARGV[at], ARGV[at + 1]
    local tail = beside(key)
    local kind = redis.call('TYPE', key).ok
    if not seen(key, kind, owner) then return 'changed' end
    if kind ~= 'none' and redis.call('PTTL', key) == -1 then error('CONFIG expiry ' .. kind, 0) end

    drop(tail, owner) -- a write that needs no memory, so that a full server takes the others, too
    local token = next_token(tail, redis.call('TIME'))
    if kind == 'hash' then
      local fields = redis.call('HMGET', key, 'who', 'turns')
      if fields[1] then
        redis.call('SET', WITHDRAWN .. tail .. ':' .. owner, 'broken', 'PX', refuse_ms)
        redis.pcall('PUBLISH', inbox_of(fields[1]), 'broken ' .. owner)
      end
      let_go(key, tail, fields[2])
    else
      let_go(key, tail)
    end
    return 'broken ' .. token
  end,
}
