-- withdraw: the same, and a request of this owner that arrives from now on is refused.
-- In:  for all: for how many ms it is refused; for each owner
-- Out: 'released', or 'not-held'
-- Deleting needs no memory, so it comes first: a full server then takes the refusal, too.
local function full(key, at)
  local owner = ARGV[at]
  local held = is_of(key, owner)
  if held then redis.call('DEL', key) end
  redis.call('SET', mark_of(key, owner), 'withdrawn', 'PX', ARGV[1])
  return held and 'released' or 'not-held'
end
