-- Runs the operations that travel together, each on its own: an error of one is its reply, and the others go on.
-- In:  KEYS: for each operation the lock's key. ARGV: what is the same for all (SHARED of them), then for each operation
--      what is its own (WIDTH of them)
-- Out: for each operation one string, or 'error <message>'
-- Most need the quick way only, and the script ends here: what stands below, and costs time to build, is not reached.
local replies = {}
local undecided
for i = 1, #KEYS do
  local ok, reply = pcall(quick, KEYS[i], SHARED + (i - 1) * WIDTH + 1)
  if ok and reply then
    replies[i] = reply
  else
    undecided = true
  end
end
if not undecided then return replies end
