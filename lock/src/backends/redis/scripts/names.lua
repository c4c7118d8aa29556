-- What stands beside a lock's own key. Every script begins with this file.
--
-- All names are derived from the key as the server sees it, so that a prefix that a client library adds is in them,
-- and all have the hash tag of the key, so that they are in one slot of a cluster. A key with a tag of its own is
-- appended, any other becomes the tag; the character before tells the two forms apart, so that no two locks share one.

local operations = {}

local QUEUE = 'holdfast.queue' --         ZSET   owner -> ticket; the smallest is the first in line
local WAITERS = 'holdfast.waiters' --     HASH   owner -> what the waiter asked for, see queue.lua
local COUNTER = 'holdfast.token' --       STRING the last fencing token
local WITHDRAWN = 'holdfast.withdrawn' -- STRING per owner id that is refused; 'broken' where an operator did it

local function beside(key)
  local open = string.find(key, '{', 1, true)
  local close = open and string.find(key, '}', open + 1, true)
  if close and close > open + 1 then return '.' .. key end
  return ':{' .. key .. '}'
end

-- Redisson's release channel, by Redisson's own naming rule.
local function channel_of(key)
  if string.find(key, '{', 1, true) then return 'redisson_lock__channel:' .. key end
  return 'redisson_lock__channel:{' .. key .. '}'
end

-- The channel of one process; its id is the first thing in what it says about itself.
local function inbox_of(who)
  return 'holdfast.inbox:' .. (string.match(who, '^{"inbox":"([^"]*)"') or '')
end

-- Where somebody keeps a value of another type at the lock's key, an owner of ours does not hold it.
local function unless_wrong_type(reply)
  if type(reply) ~= 'table' or not reply.err then return reply end
  if string.find(reply.err, 'WRONGTYPE', 1, true) then return nil end
  error(reply.err, 0)
end
