-- acquire: tries once, and does not queue.
-- In:  owner, ttl, heartbeat (not used), who
-- Out: 'granted <ttl> <token>', or 'busy <rest of the holder's TTL>', or 'busy' where nobody knows for how long
-- Asking again with the same owner id gives the same grant, with its TTL counted anew.
operations.acquire = {
  width = 4,
  run = function(key, at)
    local owner, ttl, who = ARGV[at], ARGV[at + 1], ARGV[at + 3]
    if who == '' then who = ARGV[1] end
    local tail = beside(key)
    local token = take_if_idle(key, tail, owner, ttl, who)
    if token then return granted(ttl, token) end
    if refused(tail, owner) then return 'busy' end

    local state, remaining, held = look(key, owner)
    if state == 'mine' then
      redis.call('PEXPIRE', key, ttl)
      return granted(ttl, held)
    end
    if state ~= 'free' then return 'busy ' .. remaining end
    local time = redis.call('TIME')
    local first = first_in_line(tail, ms_of(time))
    if not first then return granted(ttl, take(key, tail, time, owner, ttl, who)) end
    return 'busy ' .. hand_over(key, tail, time, first)
  end,
}
