import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overlaps, readLog, stays, worker } from '../test-support/oracle.ts';
import { commandLine, kill, type Outcome, SLOW, Stage, stateOf, until } from '../test-support/program.ts';

let stage: Stage;

beforeEach(() => {
  stage = new Stage();
});

afterEach(async () => {
  await stage.strike();
});

/** Runs `holdfast` to its end. */
function run(...args: string[]): Promise<Outcome> {
  return stage.start(args).outcome;
}

const sh = (script: string): string[] => ['--', 'sh', '-c', script];

describe('the command under a lock', SLOW, () => {
  it('gets our standard input, output and error, and its exit code is ours', async () => {
    const program = stage.start(['run', 'x', ...sh('cat; echo problem >&2; exit 42')], { stdin: 'pipe' });
    program.child.stdin?.end('what came in');
    const { code, stdout, stderr } = await program.outcome;
    expect({ code, stdout }).toEqual({ code: 42, stdout: 'what came in' });
    expect(stderr).toMatch(/^problem$/m);
  });

  it('finds the name and the fencing token in its environment, and the token grows', async () => {
    const script = 'echo "$HOLDFAST_LOCK $HOLDFAST_TOKEN"';
    const [, first] = (await run('run', 'a b', ...sh(script))).stdout.match(/^a b (\d+)\n$/) ?? [];
    const [, second] = (await run('run', 'a b', ...sh(script))).stdout.match(/^a b (\d+)\n$/) ?? [];
    expect(BigInt(second ?? '0')).toBeGreaterThan(BigInt(first ?? '0'));
    expect(first).not.toBe(undefined);
  });

  it('finds nothing else of ours in its environment', async () => {
    const { stdout } = await run('run', 'x', '--', 'env');
    const ours = stdout
      .split('\n')
      .filter((line) => /^(HOLDFAST|NODE_CHANNEL)/.test(line))
      .map((line) => line.split('=')[0] ?? '')
      .filter((name) => process.env[name] === undefined); // what this test was given itself is not ours
    expect(ours.toSorted()).toEqual([
      'HOLDFAST_LOCK',
      'HOLDFAST_STAGE', // the mark of this test
      'HOLDFAST_TOKEN',
    ]);
  });

  it('has no descriptor but the three', async () => {
    // The shell has the folder open while it reads it; by the time of the second look that descriptor is gone.
    const list = 'for fd in /proc/$$/fd/*; do [ -L "$fd" ] && basename "$fd"; done; true';
    const { stdout } = await run('run', 'x', ...sh(list));
    // Node closes what it inherits only up to some number; what this test itself was given above that is not ours.
    const inherited = plainly('sh', '-c', list).split('\n');
    const others = stdout.split('\n').filter((fd) => Number(fd) > 2 && !inherited.includes(fd));
    expect(others).toEqual([]);
  });

  it('has standard output in the mode in which it was given, so that large writes wait for the reader', async () => {
    const { stdout } = await run(
      'run',
      'x',
      ...sh('grep flags /proc/self/fdinfo/1; head -c 1000000 /dev/zero | tr "\\0" x'),
    );
    const [flags = '', rest = ''] = stdout.split('\n');
    expect(Number.parseInt(flags.split(/\s+/)[1] ?? '', 8) & 0o4000).toBe(0); // O_NONBLOCK
    expect(rest).toHaveLength(1_000_000);
  });

  it('gets its arguments as they are, options included', async () => {
    const { stdout } = await run('run', 'x', '--wait', '1s', '--', 'printf', '%s|', '--url', '--', '$HOME', 'a b', '');
    expect(stdout).toBe('--url|--|$HOME|a b||');
  });

  it('that is not found ends with 127, and one that cannot be executed with 126', async () => {
    const script = stage.file('plain.txt');
    writeFileSync(script, 'not a program');
    const missing = await run('run', 'x', '--', 'no-such-command-here');
    const plain = await run('run', 'x', '--', script);
    const folder = await run('run', 'x', '--', stage.folder);
    expect([missing.code, plain.code, folder.code]).toEqual([127, 126, 126]);
    expect(missing.stderr).toContain('holdfast: The command "no-such-command-here" was not found.');
    expect(plain.stderr).toContain('cannot be executed (EACCES)');
  });

  it('that a signal has ended ends us with 128 and its number', async () => {
    expect((await run('run', 'x', ...sh('kill -KILL $$'))).code).toBe(137);
    expect((await run('run', 'x', ...sh('kill -SEGV $$'))).code).toBe(139);
  });
});

describe('the lock of a command', SLOW, () => {
  it('keeps a second command out until the first has ended', async () => {
    const log = stage.file('log');
    const programs = ['a', 'b', 'c'].map((name) =>
      stage.start(['run', 'x', '--wait', '20s', '--ttl', '60s', '--', ...worker(log, name, 300)]),
    );
    const outcomes = await Promise.all(programs.map(({ outcome }) => outcome));
    expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      outcomes.map(() => ({ code: 0, stderr: expect.not.stringContaining('Lost') })),
    );
    expect(stays(readLog(log))).toHaveLength(3);
    expect(overlaps(stays(readLog(log)))).toEqual([]);
    await stage.isDeserted();
  });

  it('is kept for --at-least although the command has ended, until that is over or somebody ends us', async () => {
    const done = stage.file('done');
    const short = stage.start(['run', 'x', '--at-least', '60s', ...sh(`echo > ${done}; exit 7`)]);
    await until(
      () => existsSync(done),
      () => 'the command did not run',
    );
    expect((await run('run', 'x', '--wait', '0', '--', 'true')).code).toBe(75);
    short.child.kill('SIGTERM');
    expect((await short.outcome).code).toBe(7);
    const startedAt = performance.now();
    expect((await run('run', 'x', '--wait', '0', '--at-least', '2s', '--', 'true')).code).toBe(0);
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    expect((await run('run', 'x', '--wait', '0', '--', 'true')).code).toBe(0);
    await stage.isDeserted();
  });

  it('is another one for another name', async () => {
    const first = stage.start(['run', 'x', ...sh('sleep 30')]);
    await first.family();
    expect((await run('run', 'y', '--wait', '0', '--', 'true')).code).toBe(0);
  });

  it('that is busy ends us with 75, at once with --wait 0 and otherwise after the wait', async () => {
    await stage.start(['run', 'x', ...sh('sleep 30')]).family();
    const began = performance.now();
    const atOnce = await run('run', 'x', '--wait', '0', '--', 'true');
    const tookMs = performance.now() - began;
    const later = await run('run', 'x', '--wait', '1s', '--', 'true');
    expect(atOnce.code).toBe(75);
    expect(atOnce.stderr).toContain('holdfast: The lock "x" was held by another owner, and --wait 0 tries once.');
    expect(later.code).toBe(75);
    expect(later.stderr).toContain('another owner for all of --wait 1s. A larger --wait waits longer;');
    expect(performance.now() - began - tookMs).toBeGreaterThan(1_000);
  });

  it('is free as soon as the command has ended, although a process that it started runs on', async () => {
    const first = await run('run', 'x', ...sh('sleep 30 >/dev/null 2>&1 & echo $!; exit 0'));
    const daemon = Number(first.stdout);
    const second = await run('run', 'x', '--wait', '0', '--', 'true');
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(commandLine(daemon)).toBe('sleep 30');
    expect(stage.processes()).toEqual([daemon]);
  });

  it('leaves no file behind but those of the state', async () => {
    await run('run', 'x', '--', 'true');
    const { stdout } = await run('run', 'x', '--', 'find', stage.stateFolder, '-type', 'f');
    const files = stdout.split('\n').map((file) => file.slice(stage.stateFolder.length));
    const alive = files.filter((file) => file.includes('/alive/') || file.includes('/wake/'));
    expect(alive.length).toBeLessThanOrEqual(2); // of the guard that runs the search
  });

  it('is kept by a command that is suspended with its group', async () => {
    const program = stage.start(['run', 'x', '--ttl', '1s', ...sh('sleep 30')]);
    const { command } = await program.family();
    kill(program.pid, 'SIGTSTP');
    await until(
      () => stateOf(program.pid) === 'T' && stateOf(command) === 'T',
      () => 'the front and the command did not stop',
    );
    const second = await run('run', 'x', '--wait', '2500ms', '--', 'true');
    expect(second.code).toBe(75);
    kill(program.pid, 'SIGCONT');
    await until(
      () => stateOf(command) === 'S',
      () => 'the command did not go on',
    );
    kill(program.pid, 'SIGTERM');
    expect((await program.outcome).code).toBe(143);
  });
});

describe('a signal to holdfast', SLOW, () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('%s is passed on to the whole group, then the lock is released', async (signal, code) => {
    const program = stage.start([
      'run',
      'x',
      '--kill-after',
      '200ms',
      ...sh('sleep 300 & (trap "" TERM INT HUP QUIT; sleep 301) & sleep 302'),
    ]);
    await program.family();
    await until(
      () =>
        [300, 301, 302].every((seconds) => stage.processes().some((pid) => commandLine(pid) === `sleep ${seconds}`)),
      () => 'the children did not start',
    );
    kill(program.pid, signal);
    expect((await program.outcome).code).toBe(code);
    await stage.isDeserted();
    expect((await run('run', 'x', '--wait', '0', '--', 'true')).code).toBe(0);
  });

  it('that the command takes is for the command to answer', async () => {
    const program = stage.start([
      'run',
      'x',
      ...sh('trap "echo taken; exit 3" TERM; echo ready; while :; do sleep 0.05; done'),
    ]);
    await until(
      () => program.stdout.includes('ready'),
      () => 'the command did not start',
    );
    kill(program.pid, 'SIGTERM');
    const { code, stdout } = await program.outcome;
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'ready\ntaken\n' });
  });

  it('SIGUSR1 goes to the command and not to its children, which it would kill', async () => {
    const script = 'trap "echo usr1; exit 0" USR1; sleep 300 & child=$!; echo ready; while :; do sleep 0.05; done';
    const program = stage.start(['run', 'x', ...sh(`trap 'kill $child' EXIT; ${script}`)]);
    await until(
      () => program.stdout.includes('ready'),
      () => 'the command did not start',
    );
    // The command goes on as soon as it has forked; its child may not have become a program yet.
    const sleeper = await until(
      () => stage.processes().find((pid) => commandLine(pid) === 'sleep 300'),
      () => 'the child of the command did not start',
    );
    kill(program.pid, 'SIGUSR1');
    await until(
      () => program.stdout.includes('usr1'),
      () => 'the signal did not arrive',
    );
    expect((await program.outcome).code).toBe(0);
    expect(sleeper).toBeGreaterThan(0);
  });

  it('while we wait for the lock ends the wait, and leaves no place in the line', async () => {
    const holder = stage.start(['run', 'x', ...sh('sleep 30')]);
    await holder.family();
    const waiting = stage.start(['run', 'x', '--wait', '20s', '--', 'true']);
    await stage.inLine('x', 1);
    kill(waiting.pid, 'SIGINT');
    const { code, stderr } = await waiting.outcome;
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
    await stage.inLine('x', 0);
  });
});

describe('wrong usage', SLOW, () => {
  it.each([
    [['run'], "missing required argument 'name'"],
    [['run', 'x', 'true'], 'The command must come after "--"'],
    [['run', 'x', '--'], "missing required argument 'command'"],
    [['run', 'x', '--ttl', '30', '--', 'true'], '--ttl must be a duration with its unit'],
    [['run', 'x', '--ttl', '500ms', '--', 'true'], '--ttl must be at least 1s, and is 500ms.'],
    [['run', 'x', '--ttl', '10s', '--kill-after', '5s', '--', 'true'], '--ttl 12s would be enough.'],
    [['run', 'x', '--url', 'mongodb://u:secret@h/', '--', 'true'], 'must start with sqlite:, redis://, rediss://'],
    [['run', '', '--', 'true'], 'The name of a lock must not be empty.'],
    [['run', 'x', '--fast', '--', 'true'], "unknown option '--fast'"],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['who'], "missing required argument 'name'"],
  ])('%j ends with 64 and says what is wrong', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
  });
});

describe('the notice that the embedded file is for one machine', SLOW, () => {
  it('is given once to each user, on standard error', async () => {
    const notice = /excludes the processes of this user on this machine/;
    const first = await run('run', 'x', '--', 'true');
    const second = await run('run', 'x', '--', 'true');
    expect(first.stderr).toMatch(notice);
    expect(second.stderr).toBe('');
    expect(first.stdout + second.stdout).toBe('');
  });

  it('is not given to who names the embedded file by its URL', async () => {
    expect((await run('run', 'x', '--url', `sqlite://${stage.file('here')}`, '--', 'true')).stderr).toBe('');
  });
});

/** The output of a program that runs without us. */
function plainly(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8' });
}

describe('the help', () => {
  it.each([[], ['run'], ['ls'], ['who'], ['break']])(
    'of holdfast %s fits into 80 columns and lists exit codes',
    async (...words) => {
      const { code, stdout } = await run(...words, '--help');
      expect(code).toBe(0);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(stdout).toMatch(/^Exit codes:\n( +\d+ {2}.+\n)+/m);
    },
  );

  it('is not needed for the version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});
