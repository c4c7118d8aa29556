-- renew: extends a vote that this owner still has, and never gives one anew.
-- In:  for all ttl; for each owner
-- Out: 'renewed'; 'absent', if nobody has it: this server was restarted without its data, or was late before;
--      'lost', if another has it; 'broken', if an operator took it away
local function full(key, at)
  local owner = ARGV[at]
  if is_of(key, owner) then
    redis.call('PEXPIRE', key, ARGV[1])
    return 'renewed'
  end
  local mark = redis.call('GET', mark_of(key, owner))
  if mark then return mark == 'broken' and 'broken' or 'lost' end
  return redis.call('EXISTS', key) == 1 and 'lost' or 'absent'
end
