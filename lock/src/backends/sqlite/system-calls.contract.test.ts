import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newFolder } from './test-support/folders.ts';

const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** What a process does to files while it takes its first two locks, in order: one line for each call that succeeded. */
function watched(directory: string): { readonly calls: string[]; readonly tokens: bigint[] } {
  const program = fileURLToPath(new URL('test-support/first-grants.mjs', import.meta.url));
  const log = path.join(newFolder(), 'calls');
  const calls =
    'openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,unlink,unlinkat,fsync,write';
  const args = ['-f', '-y', '-qq', '-o', log, '-e', `trace=${calls}`, '-e', 'status=successful'];
  const { stdout, stderr } = spawnSync('strace', [...args, process.execPath, program, directory], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return {
    calls: readFileSync(log, 'utf8').split('\n'),
    tokens: [...stdout.matchAll(/granted (\d+)/g)].map(([, token = '']) => BigInt(token)),
  };
}

describe.runIf(hasStrace)('system calls', () => {
  it('flush the floor to disk before the first token under it is given out', () => {
    const directory = path.join(realpathSync(newFolder()), 'locks');
    const { calls, tokens } = watched(directory);
    expect(tokens).toHaveLength(2);
    const floor = path.join(directory, 'floor');
    const at = (pattern: RegExp): number => calls.findIndex((call) => pattern.test(call));
    const made = at(new RegExp(`openat.*"${floor}/\\d{19}".*O_CREAT`));
    const fileFlushed = at(new RegExp(`fsync\\(\\d+<${floor}/\\d{19}>\\)`));
    const folderFlushed = at(new RegExp(`fsync\\(\\d+<${floor}>\\)`));
    const granted = at(/write\(1.*granted/);
    expect(made).toBeGreaterThan(0);
    expect(fileFlushed).toBeGreaterThan(made);
    expect(folderFlushed).toBeGreaterThan(made);
    expect(granted).toBeGreaterThan(Math.max(fileFlushed, folderFlushed));
    const [, reserved = '0'] = /floor\/(\d{19})/.exec(calls[made] ?? '') ?? [];
    for (const token of tokens) expect(token).toBeLessThanOrEqual(BigInt(reserved));
    // Also the folders that lead to it.
    expect(at(new RegExp(`fsync\\(\\d+<${path.dirname(directory)}>\\)`))).toBeGreaterThan(0);
    expect(at(new RegExp(`fsync\\(\\d+<${directory}>\\)`))).toBeGreaterThan(0);
  });

  it('make and change nothing outside the directory, and keep no descriptor for children', () => {
    const directory = path.join(realpathSync(newFolder()), 'locks');
    const { calls } = watched(directory);
    const changing = calls.filter(
      (call) =>
        /O_CREAT|O_WRONLY|O_RDWR|^\d+ +(mkdir|rename|link|symlink|unlink|creat)/.test(call) && !/"\/dev\//.test(call),
    );
    expect(changing.length).toBeGreaterThan(10);
    expect(changing.filter((call) => !call.includes(`"${directory}`))).toEqual([]);
    const opened = changing.filter((call) => call.includes('openat'));
    expect(opened.filter((call) => !call.includes('O_CLOEXEC'))).toEqual([]);
  });
});
