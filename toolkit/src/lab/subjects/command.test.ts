import { describe, expect, it } from 'vitest';
import type { SubjectSession } from '../subject.ts';
import { commandSubject, describeCommand } from './command.ts';

// Programs of a line or two, run by the Node that runs this.

/** A program that answers each call with what the function gives for it; undefined is no answer. */
function program(answer: string, before = ''): string {
  const script = `${before}; require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line);
    const answer = (${answer})(request);
    if (answer !== undefined) console.log(JSON.stringify(answer));
  })`;
  return `'${process.execPath}' -e '${script.replaceAll("'", `'"'"'`)}'`;
}

const GRANTS = `({ call }) => (call === 'acquire' ? { granted: true, fencingToken: '7' } : call === 'believes' ? { believes: true } : {})`;

async function open(command: string): Promise<SubjectSession> {
  return await commandSubject(command).open({ url: 'redis://secret@nowhere' });
}

describe('a lock that is a program', () => {
  it('says what it is', async () => {
    expect(await describeCommand(program(`() => ({ name: 'mine', server: 'none' })`))).toMatchObject({
      name: 'mine',
      server: 'none',
    });
  });

  it('is asked for the lock, for its opinion at once, and to give it back', async () => {
    const session = await open(
      program(
        `(request) => {
        if (request.call === 'acquire') held = request.ttlMs === 500 && request.name === 'a' && request.waitMs === 0;
        if (request.call === 'release') held = false;
        return request.call === 'acquire' ? { granted: held } : { believes: held };
      }`,
        'let held = false',
      ),
    );
    const hold = await session.acquire('a', { ttlMs: 500, waitMs: 0 });
    expect(hold?.believes()).toBe(true);
    expect(hold?.believes()).toBe(true);
    await hold?.release();
    expect(hold?.believes()).toBe(false);
    expect(await session.acquire('b', { ttlMs: 500, waitMs: 0 })).toBeNull();
    await session.close();
    await expect(session.acquire('a', { ttlMs: 500, waitMs: 0 })).rejects.toThrow('The program is closed.');
  });

  it('may print lines between its answers, and blank ones', async () => {
    const session = await open(program(GRANTS, `console.log('a subject prints this'); console.log()`));
    const hold = await session.acquire('a', { ttlMs: 500, waitMs: 0 });
    expect(hold?.fencingToken).toBe('7');
    expect(hold?.believes()).toBe(true);
    await session.close();
  });

  it('may say that it does not know, and is asked again', async () => {
    const session = await open(
      program(
        `({ call }) => (call === 'acquire' && tries++ === 0 ? { error: 'no quorum' } : { granted: false })`,
        'let tries = 0',
      ),
    );
    await expect(session.acquire('a', { ttlMs: 500, waitMs: 0 })).rejects.toThrow(/^no quorum$/);
    expect(await session.acquire('a', { ttlMs: 500, waitMs: 0 })).toBeNull();
    await session.close();
  });
});

describe('a program that is no lock', () => {
  it.each([
    ['that is not there', 'no-such-program-here', /ended with exit code 127.*no-such-program-here/s],
    [
      'that ends before it is asked',
      `'${process.execPath}' -e 'console.error("no licence"); process.exit(3)'`,
      /ended with exit code 3\. It had printed: no licence/,
    ],
    ['that does not say its name', program('() => ({})'), /The answer to "describe" lacks name/],
  ])('%s is named as such', async (_, command, message) => {
    await expect(describeCommand(command)).rejects.toThrow(message);
  });

  it('is found out when it ends in the middle, also by the question that waits', async () => {
    const session = await open(program(`({ call }) => (call === 'believes' ? process.exit(3) : { granted: true })`));
    const hold = await session.acquire('a', { ttlMs: 500, waitMs: 0 });
    expect(() => hold?.believes()).toThrow('The command ended with exit code 3');
    await expect(hold?.release()).rejects.toThrow('The command ended with exit code 3');
  });

  it('is found out when it does not say at once what it believes', async () => {
    const session = await open(program(`({ call }) => (call === 'believes' ? undefined : { granted: true })`));
    const hold = await session.acquire('a', { ttlMs: 500, waitMs: 0 });
    expect(() => hold?.believes()).toThrow('"believes" was not answered within 2000 ms.');
  });

  it('is found out when it says more than it was asked', async () => {
    const session = await open(
      program(`() => ({ granted: true })`, `setTimeout(() => console.log('{"granted":true}'), 50)`),
    );
    await expect
      .poll(() => session.acquire('a', { ttlMs: 500, waitMs: 0 }).then(() => 'answered', String), { timeout: 10_000 })
      .toContain('Nothing was asked, and it said {"granted":true}.');
  });
});
