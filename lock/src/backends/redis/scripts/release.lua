-- release: ends the hold if this owner still has it; the first in line gets the lock.
-- In:  for each owner
-- Out: 'released', or 'not-held'
local function full(key, at)
  local fields = fields_of(key, ARGV[at], 'turns')
  if not fields or not fields[1] then return 'not-held' end
  let_go(key, beside(key), fields[2])
  return 'released'
end
