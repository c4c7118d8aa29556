-- release: takes the vote back, if this owner still has it.
-- In:  for each owner
-- Out: 'released', or 'not-held'
local function full(key, at)
  if not is_of(key, ARGV[at]) then return 'not-held' end
  redis.call('DEL', key)
  return 'released'
end
