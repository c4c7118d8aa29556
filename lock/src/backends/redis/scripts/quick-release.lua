-- The quick way of release: nobody waits.
local function quick(key, at)
  if redis.call('EXISTS', 'holdfast.queue' .. beside(key)) == 1 then return nil end
  if redis.call('HEXISTS', key, ARGV[at]) == 0 then return 'not-held' end
  redis.call('DEL', key)
  redis.pcall(PUBLISH, channel_of(key), '0')
  return 'released'
end
