-- The quick way of acquire, for one lock: nobody has this vote, and the owner was not withdrawn. It has no function, which
-- the server would build anew with each call, and its reply is no list: either takes about as long as a command.
if #KEYS == 1 and not string.find(KEYS[1], '{', 1, true) then -- beside a hash tag the names are of another form
  local value = ARGV[2]
  local mark = 'holdfast.withdrawn:{' .. KEYS[1] .. '}:' .. string.match(value, '^%S+')
  if redis.pcall('EXISTS', mark) == 0 then
    local done = redis.pcall('SET', KEYS[1], value, 'NX', 'PX', ARGV[1])
    if done and done.ok then return 'granted' end
  end
end
local replies = {}
