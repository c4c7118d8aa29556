/**
 * The guard in Redis, for data that lives there: `enter` before the first read, and `write` for what changes data,
 * which checks the token and writes in one script.
 *
 * The floor is kept in a hash beside the data and has no expiry. It must live on the server that has the data, and it
 * is as durable as that server: a failover that loses it lets an older holder in once more, and so does a server that
 * evicts keys without a TTL (`maxmemory-policy allkeys-…`).
 *
 * @module
 */
import { parseToken } from '../core/fencing.ts';
import { checkAccess, checkSource, checkText, type GuardOptions, refusal } from './request.ts';

/** As the adapters of `holdfast/redis` make it. */
export interface RedisGuardCommands {
  send(args: readonly string[], key?: string): Promise<unknown>;
}

export interface RedisGuard {
  /** Raises the floor to this token, or refuses it with `StaleTokenError`. To be called before the first read. */
  enter(resource: string, token: bigint): Promise<void>;
  /**
   * Runs commands if the token is not stale, in one step: `[['SET', key, value], ['INCR', other]]`. The first argument of
   * each is its key; on a cluster all keys share the hash tag of the resource: `{resource}`. Gives their replies, as Lua
   * passes them on: integers are exact up to 2^53. A command that fails ends the script; those before it stay done.
   */
  write(resource: string, token: bigint, commands: readonly (readonly string[])[]): Promise<unknown[]>;
  /** For operators: refuses all tokens below this one from now on. Never lowers the floor. */
  raise(resource: string, token: bigint): Promise<void>;
  /**
   * The locks have moved to another backend: from now on the resource takes tokens of this guard's source, from `floor`
   * on. Rejects if its tokens come from another source than `from`. Make sure that no holder of an old lock is left.
   */
  changeSource(resource: string, change: { readonly from: string; readonly floor: bigint }): Promise<void>;
}

/**
 * KEYS: the floor, then those of the commands. ARGV: what to do, the source, the token, then the old source, or the
 * commands as JSON. Gives {'ok', replies…}, or {'no', source, floor}.
 *
 * Tokens are compared as decimal strings: a number of Lua ends at 2^53. A client may put a prefix before each key that it
 * sees, so keys are those of KEYS.
 */
const SCRIPT = `
local function smaller(a, b) return #a < #b or (#a == #b and a < b) end
local mode, source, token = ARGV[1], ARGV[2], ARGV[3]
local known = redis.call('HMGET', KEYS[1], 'source', 'token')
if mode == 'change' then
  if known[1] ~= ARGV[4] then return {'no', known[1] or '', known[2] or ''} end
  redis.call('HSET', KEYS[1], 'source', source, 'token', token)
  return {'ok'}
end
if known[1] and known[1] ~= source then return {'no', known[1], known[2]} end
if known[2] and smaller(token, known[2]) then
  if mode == 'raise' then return {'ok'} end
  return {'no', known[1], known[2]}
end
if known[2] ~= token then redis.call('HSET', KEYS[1], 'source', source, 'token', token) end
local answer = {'ok'}
if mode == 'write' then
  for index, command in ipairs(cjson.decode(ARGV[4])) do
    command[2] = KEYS[index + 1]
    local reply = redis.call(unpack(command))
    answer[#answer + 1] = reply or ''
  end
end
return answer`;

/** A guard for resources whose tokens come from one source: `redisGuard(fromIoredis(redis), { source: backend.tokenSource })`. */
export function redisGuard(commands: RedisGuardCommands, options: GuardOptions): RedisGuard {
  const source = checkSource('redisGuard', options);

  async function run(
    mode: string,
    resource: string,
    token: bigint,
    keys: readonly string[],
    last: string,
  ): Promise<unknown[]> {
    const { resource: name, text } = checkAccess(resource, token);
    const key = `holdfast.fence:{${name}}`;
    const args = ['EVAL', SCRIPT, String(keys.length + 1), key, ...keys, mode, source, text, last];
    const [verdict, ...rest] = (await commands.send(args, key)) as [string, ...unknown[]];
    if (verdict === 'ok') return rest;
    const [knownSource, floor] = rest as [string, string];
    throw refusal(
      name,
      token,
      source,
      knownSource === '' ? undefined : { source: knownSource, token: parseToken(floor) },
    );
  }

  return {
    async enter(resource, token) {
      await run('enter', resource, token, [], '');
    },
    write(resource, token, list) {
      const keys = list.map((command) => checkCommand(command));
      return run('write', resource, token, keys, JSON.stringify(list));
    },
    async raise(resource, token) {
      await run('raise', resource, token, [], '');
    },
    async changeSource(resource, { from, floor }) {
      await run('change', resource, floor, [], checkText('from', from));
    },
  };
}

/** The key of a command. A number among the arguments would be rounded on its way, by JSON and by Lua. */
function checkCommand(command: readonly unknown[]): string {
  if (command.some((part) => typeof part !== 'string')) {
    throw new TypeError(`The parts of a command must be texts; numbers as well: ['SET', key, String(value)].`);
  }
  return checkText('the key of a command', command[1]);
}
