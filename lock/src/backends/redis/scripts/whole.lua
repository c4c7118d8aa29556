-- While a cluster moves a slot, a look at several keys fails unless all of them are still here. So one such look comes
-- before each step that is more than the usual: then nothing is done by halves, here and there.
local step_of_this_script = full

local function full(key, at)
  redis.call('EXISTS', key, 'holdfast.queue' .. beside(key), 'holdfast.token' .. beside(key))
  return step_of_this_script(key, at)
end
