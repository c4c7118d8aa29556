-- stay: the heartbeat of a waiter, which never makes an entry; and it takes the lock when it is its turn.
-- In:  for all ttl, who, heartbeat; for each owner
-- Out: see step.lua
local function full(key, at)
  return step(key, ARGV[at], false)
end
