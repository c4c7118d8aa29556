-- Whose the key is. A vote for a lock is a STRING with a TTL, as every client that uses SET NX PX has it:
-- "<owner> <since, in milliseconds by the owner's clock> <pid> <host>", and a purpose where there is one. An owner id has no space in it.

local function is_of(key, owner)
  return redis.pcall('GETRANGE', key, '0', tostring(#owner)) == owner .. ' '
end

-- What an owner id is refused by, after it was taken back or broken.
local function mark_of(key, owner)
  return 'holdfast.withdrawn' .. beside(key) .. ':' .. owner
end
