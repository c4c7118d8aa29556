-- renew: extends a hold that is still ours, and never makes one anew.
-- In:  owner, ttl
-- Out: 'renewed', 'lost', or 'broken' where an operator took the lock away
operations.renew = {
  width = 2,
  run = function(key, at)
    local owner, ttl = ARGV[at], ARGV[at + 1]
    if unless_wrong_type(redis.pcall('HEXISTS', key, owner)) == 1 then
      redis.call('PEXPIRE', key, ttl)
      return 'renewed'
    end
    if redis.call('GET', WITHDRAWN .. beside(key) .. ':' .. owner) == 'broken' then return 'broken' end
    return 'lost'
  end,
}
