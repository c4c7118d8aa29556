import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { childrenOf } from './process-children.ts';

it('the children of a process are those that live', async (context) => {
  if (process.platform !== 'linux') context.skip('They are looked up in /proc, which only Linux has.');
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid as number;
  try {
    expect(childrenOf(process.pid)).toContain(pid);
    expect(childrenOf(pid)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
  await once(child, 'exit');
  expect(childrenOf(process.pid)).not.toContain(pid);
});
