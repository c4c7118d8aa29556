-- What stands beside a lock's own key. Every script begins with this file.
--
--   holdfast.token      STRING  the last fencing token
--   holdfast.queue      ZSET    waiters: owner -> ticket; the smallest is the first in line
--   holdfast.waiters    HASH    waiters: owner -> what it asked for, see queue.lua
--   holdfast.withdrawn  STRING  per owner id that is refused; 'broken <token>' where an operator did it
--   holdfast.pause      STRING  there for a moment in which a free lock is left to clients of another layout
--
-- All names are derived from the key as the server sees it, so that a prefix that a client library adds is in them, and
-- all have the hash tag of the key, so that they are in one slot of a cluster. A key with a tag of its own is appended,
-- any other becomes the tag; the character before tells the two forms apart, so that no two locks share a name.

local function beside(key)
  local open = string.find(key, '{', 1, true)
  local close = open and string.find(key, '}', open + 1, true)
  if close and close > open + 1 then return '.' .. key end
  return ':{' .. key .. '}'
end
