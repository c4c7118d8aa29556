-- prove: sends a process a message about this lock on the way that hand-overs take.
-- In:  for all who
-- Out: 'done'
local function full(key)
  tell(beside(key), ARGV[1], 'proof')
  return 'done'
end
