-- inspect: who has the lock, and who waits.
-- In:  -
-- Out: JSON: { kind, remaining, fields (name, value, …; of a string its beginning), now, waiters (owner, entry, …) }
-- Large values belong to somebody else's data, and are left alone.

local LARGEST_HASH = 16
local LARGEST_STRING = 512

local function holder_fields(key, kind)
  if kind == 'string' then return { redis.call('GETRANGE', key, 0, LARGEST_STRING - 1) } end
  if kind == 'hash' and redis.call('HLEN', key) <= LARGEST_HASH then return redis.call('HGETALL', key) end
  return {}
end

operations.inspect = {
  width = 0,
  run = function(key)
    local tail = beside(key)
    local time = redis.call('TIME')
    local kind = redis.call('TYPE', key).ok
    local waiters = {}
    for _, owner in ipairs(redis.call('ZRANGE', QUEUE .. tail, 0, -1)) do
      local entry = redis.call('HGET', WAITERS .. tail, owner)
      if entry then
        table.insert(waiters, owner)
        table.insert(waiters, entry)
      end
    end
    return cjson.encode({
      kind = kind,
      remaining = redis.call('PTTL', key),
      fields = holder_fields(key, kind),
      now = string.format('%.0f', ms_of(time)),
      waiters = waiters,
    })
  end,
}
