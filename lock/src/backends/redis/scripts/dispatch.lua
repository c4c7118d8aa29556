-- Runs the operations that travel together, each on its own: an error of one is its reply, and the others go on.
-- In:  KEYS: for each operation the lock's key
--      ARGV: what this process says about itself (JSON), then for each operation its name and its arguments
-- Out: for each operation one string, or 'error <message>'
local replies = {}
local at = 2
for i = 1, #KEYS do
  local operation = operations[ARGV[at]]
  local ok, reply = pcall(operation.run, KEYS[i], at + 1)
  if not ok then reply = 'error ' .. (type(reply) == 'table' and reply.err or reply) end
  replies[i] = reply
  at = at + operation.width + 1
end
return replies
