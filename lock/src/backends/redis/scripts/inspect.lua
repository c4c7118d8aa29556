-- inspect: who has the lock, and who waits.
-- In:  -
-- Out: JSON: { kind, remaining, fields (name, value, …; of a string its beginning), now, waiters (owner, entry, …) }
-- Large values are somebody else's data, and are left alone.
local function fields_at(key, kind)
  if kind == 'string' then return { redis.call('GETRANGE', key, '0', '511') } end
  if kind == 'hash' and redis.call('HLEN', key) <= 16 then return redis.call('HGETALL', key) end
  return {}
end

local function full(key)
  local tail = beside(key)
  local time = redis.call('TIME')
  local kind = redis.call('TYPE', key).ok
  local waiters = {}
  for _, owner in ipairs(redis.call('ZRANGE', 'holdfast.queue' .. tail, '0', '-1')) do
    local entry = redis.call('HGET', 'holdfast.waiters' .. tail, owner)
    if entry then
      table.insert(waiters, owner)
      table.insert(waiters, entry)
    end
  end
  return cjson.encode({
    kind = kind,
    remaining = redis.call('PTTL', key),
    fields = fields_at(key, kind),
    now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)),
    waiters = waiters,
  })
end
