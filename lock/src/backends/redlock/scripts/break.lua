-- break: takes the vote from the owner that an operator has seen, and tells it when it renews.
-- In:  for all: for how many ms the owner is refused; for each what identifies the owner: its id, or all of the value
--      of a client that is not ours
-- Out: 'broken', or 'changed': it is not this owner's vote
local function full(key, at)
  local owner = ARGV[at]
  local ours = is_of(key, owner)
  if not ours and redis.pcall('GET', key) ~= owner then return 'changed' end
  redis.call('DEL', key)
  if ours then redis.call('SET', mark_of(key, owner), 'broken', 'PX', ARGV[1]) end
  return 'broken'
end
