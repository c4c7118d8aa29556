-- release: ends the hold if this owner still has it; the first in line gets the lock.
-- In:  owner
-- Out: 'released', or 'not-held'
operations.release = {
  width = 1,
  run = function(key, at)
    local fields = unless_wrong_type(redis.pcall('HMGET', key, ARGV[at], 'turns'))
    if not fields or not fields[1] then return 'not-held' end
    local tail = beside(key)
    if redis.call('EXISTS', QUEUE .. tail) == 1 then
      let_go(key, tail, fields[2])
    else
      redis.call('DEL', key)
      redis.pcall('PUBLISH', channel_of(key), '0')
    end
    return 'released'
  end,
}
