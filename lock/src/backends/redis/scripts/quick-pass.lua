-- Runs the operations that travel together, each on its own: an error of one is its reply, and the others go on.
-- In:  KEYS: for each operation the lock's key. ARGV: what is the same for all (SHARED of them), then for each operation
--      what is its own (WIDTH of them)
-- Out: for each operation one string, or 'error <message>'; of a single one without a list around it
-- Most need the quick way only, and the script ends here: what stands below, and costs time to build, is not reached. That
-- is also why what stands beside the key is named here, as in names.lua, and not by a function.
local replies = {}
local undecided
for i = 1, #KEYS do
  local key = KEYS[i]
  local open = string.find(key, '{', 1, true)
  local close = open and string.find(key, '}', open + 1, true)
  local tail = close and close > open + 1 and '.' .. key or ':{' .. key .. '}'
  local ok, reply = pcall(quick, key, tail, SHARED + (i - 1) * WIDTH + 1)
  if ok and reply then
    if #KEYS == 1 then return reply end
    replies[i] = reply
  else
    undecided = true
  end
end
if not undecided then return replies end
