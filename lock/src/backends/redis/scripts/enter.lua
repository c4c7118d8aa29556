-- enter: takes the lock, or a place at the end of the line; again with the same owner id it keeps that place.
-- In:  for all ttl, who, heartbeat; for each owner
-- Out: see step.lua
local function full(key, at)
  return step(key, ARGV[at], true)
end
