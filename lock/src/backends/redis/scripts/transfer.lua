-- transfer: gives a held lock to another owner of the same process. Whoever is in line goes first, and the other owner
-- then takes a place at the end.
-- In:  owner, then for the next: owner, ttl, heartbeat, who
-- Out: 'granted <ttl> <token>', 'waiting', 'gone' (the next was withdrawn; the hold has ended all the same), or
--      'not-held': the hold was over, and the next has nothing
operations.transfer = {
  width = 5,
  run = function(key, at)
    local owner, next_owner, ttl, heartbeat, who = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
    if who == '' then who = ARGV[1] end
    local tail = beside(key)
    local fields = unless_wrong_type(redis.pcall('HMGET', key, owner, next_owner, 'turns')) or {}
    if refused(tail, next_owner) then
      if not fields[1] then return 'not-held' end
      let_go(key, tail, fields[3])
      return 'gone'
    end
    -- This very request may have been done already: then the next has the lock or its place.
    if not fields[1] then
      local known = fields[2] or redis.call('HEXISTS', WAITERS .. tail, next_owner) == 1
      if known then return step(key, at + 1, false) end
      return 'not-held'
    end

    local time = redis.call('TIME')
    local now = ms_of(time)
    local hops = (tonumber(fields[3]) or 0) + 1
    if hops <= MOST_TURNS and not first_in_line(tail, now) then
      redis.call('DEL', key)
      return granted(ttl, take(key, tail, time, next_owner, ttl, who, hops))
    end
    let_go(key, tail, fields[3])
    stand(tail, now, next_owner, ttl, heartbeat, who)
    return 'waiting'
  end,
}
