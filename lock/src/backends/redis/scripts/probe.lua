-- probe: tries every command that the other scripts need, on a key of its own beside the lock's, and removes it.
-- In:  -
-- Out: 'ok', or 'failed <command> <the server's message>'
-- What needs to be removed again is made only after DEL and PEXPIRE were found to be allowed.
local function full(key)
  local scratch = 'holdfast.probe' .. beside(key)
  local commands = {
    { 'DEL', scratch },
    { 'PEXPIRE', scratch, '1000' },
    { 'SET', scratch, '1', 'EX', '1', 'GET' },
    { 'GET', scratch },
    { 'EXISTS', scratch },
    { 'TYPE', scratch },
    { 'PTTL', scratch },
    { 'DEL', scratch },
    { 'HSET', scratch, 'field', '1' },
    { 'PEXPIRE', scratch, '1000' },
    { 'HGET', scratch, 'field' },
    { 'HMGET', scratch, 'field' },
    { 'HEXISTS', scratch, 'field' },
    { 'HDEL', scratch, 'field' },
    { 'ZADD', scratch, '1', 'member' },
    { 'PEXPIRE', scratch, '1000' },
    { 'ZRANGE', scratch, '0', '0' },
    { 'ZREM', scratch, 'member' },
    { 'ZPOPMIN', scratch },
    { 'TIME' },
    { 'PUBLISH', 'holdfast.inbox:probe', '1' },
    { PUBLISH, 'holdfast.inbox:probe' .. beside(key), '1' },
    { PUBLISH, channel_of(scratch), '1' },
  }
  for _, command in ipairs(commands) do
    local reply = redis.pcall(unpack(command))
    if type(reply) == 'table' and reply.err then
      redis.pcall('DEL', scratch)
      return 'failed ' .. command[1] .. ' ' .. reply.err
    end
  end
  return 'ok'
end
