-- The channel on which Redisson's waiters listen for a release, by Redisson's own naming rule.
local function channel_of(key)
  if string.find(key, '{', 1, true) then return 'redisson_lock__channel:' .. key end
  return 'redisson_lock__channel:{' .. key .. '}'
end
