-- The channel on which Redisson's waiters listen for a release, by Redisson's own naming rule. PUBLISH is the command that
-- Redisson uses there: on a cluster that has sharded channels SPUBLISH, which tells the nodes of this shard only.
local function channel_of(key)
  if string.find(key, '{', 1, true) then return 'redisson_lock__channel:' .. key end
  return 'redisson_lock__channel:{' .. key .. '}'
end
