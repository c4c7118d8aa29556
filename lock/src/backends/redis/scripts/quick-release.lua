-- The quick way of release: nobody waits.
local function quick(key, tail, at)
  if redis.call('EXISTS', 'holdfast.queue' .. tail) == 1 then return nil end
  if redis.call('HEXISTS', key, ARGV[at]) == 0 then return 'not-held' end
  redis.call('DEL', key)
  local channel = string.find(key, '{', 1, true) and key or '{' .. key .. '}' -- as in channel.lua
  redis.pcall(PUBLISH, 'redisson_lock__channel:' .. channel, '0')
  return 'released'
end
