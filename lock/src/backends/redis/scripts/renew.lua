-- renew: extends a hold that is still ours, and never makes one anew.
-- In:  for all ttl; for each owner
-- Out: 'renewed', 'lost', or 'broken' where an operator took the lock away
local function full(key, at)
  local owner = ARGV[at]
  local fields = fields_of(key, owner)
  if fields and fields[1] then
    redis.call('PEXPIRE', key, ARGV[1])
    return 'renewed'
  end
  local mark = redis.call('GET', 'holdfast.withdrawn' .. beside(key) .. ':' .. owner)
  if mark and string.find(mark, '^broken ') then return 'broken' end
  return 'lost'
end
