import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { NotSentError } from './client.ts';
import { isNoScript, probeError, translate, translateReply } from './errors.ts';

describe('the code of an error', () => {
  it.each([
    ['READONLY You can not write against a read only replica.', 'UNAVAILABLE'],
    ['An error was signalled by the server: - ReadOnly: You can not write', 'UNAVAILABLE'],
    ['LOADING Redis is loading the dataset in memory', 'UNAVAILABLE'],
    ['An error was signalled by the server: - BusyLoadingError: Redis is loading', 'UNAVAILABLE'],
    ['BUSY Redis is busy running a script.', 'UNAVAILABLE'],
    ['BUSY: Redis is busy running a script.', 'UNAVAILABLE'],
    ['NOREPLICAS Not enough good replicas to write.', 'UNAVAILABLE'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'UNAVAILABLE'],
    ['CLUSTERDOWN The cluster is down', 'UNAVAILABLE'],
    ['MASTERDOWN Link with MASTER is down', 'UNAVAILABLE'],
    ['MISCONF Redis is configured to save RDB snapshots, but it cannot persist', 'UNAVAILABLE'],
    ['NOAUTH Authentication required.', 'ACCESS_DENIED'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'ACCESS_DENIED'],
    ["NOPERM User app has no permissions to run the 'evalsha' command", 'ACCESS_DENIED'],
    ["ERR The user executing the script can't run this command or subcommand", 'ACCESS_DENIED'],
    ['NOPERM ACL failure in script: User app has no permissions', 'ACCESS_DENIED'],
    ['CROSSSLOT Keys in request do not hash to the same slot', 'CONFIG'],
    [
      "ERR Unable to execute command 'exists' in script because undeclared keys were accessed during rehashing of the slot",
      'CONFIG',
    ],
    ['MOVED 3999 127.0.0.1:6381', 'CONFIG'],
    ["ERR unknown command 'EVALSHA'", 'CONFIG'],
    ['Connection in subscriber mode, only subscriber commands may be used', 'CONFIG'],
    ["Stream isn't writeable and enableOfflineQueue options is false", 'UNAVAILABLE'],
    ['The client is offline', 'UNAVAILABLE'],
    ['The queue is full', 'UNAVAILABLE'], // commandsQueueMaxLength of node-redis
    ['Connection is closed.', 'OUTCOME_UNKNOWN'],
    ['Command timed out', 'OUTCOME_UNKNOWN'],
    ['Socket closed unexpectedly', 'OUTCOME_UNKNOWN'],
    ['read ECONNRESET', 'OUTCOME_UNKNOWN'],
    ['timed out', 'OUTCOME_UNKNOWN'],
  ])('%s is %s', (message, code) => {
    expect(translate(new Error(message), 'x').code).toBe(code);
  });

  it('of what never left is UNAVAILABLE, whatever the client says', () => {
    expect(translate(new NotSentError('Connection is closed.'), 'x').code).toBe('UNAVAILABLE');
  });

  it('of foreign data is CONFIG, and the message names key and remedy', () => {
    const error = translateReply('CONFIG type list', 'order:1', 'holdfast:order:1');
    expect(error).toMatchObject({ code: 'CONFIG', lockName: 'order:1' });
    expect(error.message).toMatch(/"holdfast:order:1" holds a list.*left as it is.*keyPrefix/);
    expect(translateReply('CONFIG expiry string', 'x', 'x').message).toMatch(/a string without an expiry/);
    expect(translateReply('WRONGTYPE Operation against', 'x', 'x').code).toBe('CONFIG');
  });
});

describe('a command that does not work at the first look', () => {
  it.each([
    ["ERR The user executing the script can't run this command or subcommand", 'ACCESS_DENIED', /allow.*HSET/],
    ['ERR syntax error', 'CONFIG', /HSET.*6\.2/],
    ['ERR Unknown Redis command called from script', 'CONFIG', /6\.2/],
    ['READONLY You can not write against a read only replica.', 'UNAVAILABLE', /replica/],
  ])('with "%s" is %s', (message, code, text) => {
    expect(probeError('HSET', message, 'x')).toMatchObject({ code, message: expect.stringMatching(text) });
  });
});

it('an empty script cache is seen through all clients', () => {
  expect(isNoScript(new Error('NOSCRIPT No matching script. Please use EVAL.'))).toBe(true);
  expect(isNoScript(new Error('An error was signalled by the server: - NoScriptError: No matching script.'))).toBe(
    true,
  );
  expect(isNoScript(new Error('READONLY'))).toBe(false);
});

it('no password comes out with an error, neither in its message nor in its cause', () => {
  const error = Object.assign(new Error('connect to rediss://app:secret@db:6380/0 failed'), {
    command: { name: 'auth', args: ['app', 'secret'] },
  });
  const shown = inspect(translate(error, 'x'), { depth: 10 });
  expect(shown).toContain('db:6380');
  expect(shown).not.toContain('secret');
});
