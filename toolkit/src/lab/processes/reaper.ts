/**
 * Cleans up after a check-up, however that ends. It is told of every process group and makes the folder for temporary
 * files; when its standard input ends, because the check-up has closed it or is dead, it kills the groups and removes the
 * folder. It has a session of its own, so that Ctrl-C in the terminal does not reach it.
 *
 * Input, a line each: `+PID` a process group to kill, `-PID` one that has ended. First line of output: the folder.
 *
 * @module
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanUp } from '../reaper.ts';

const groups = new Set<number>();

for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {});

const folder = mkdtempSync(join(tmpdir(), 'holdfast-lab-'));

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const pid = Number(line.slice(1));
    if (!Number.isInteger(pid) || pid <= 1) return;
    if (line.startsWith('+')) groups.add(pid);
    else groups.delete(pid);
  })
  .on('close', () => {
    cleanUp(groups, folder);
    process.exit();
  });

process.stdout.on('error', () => {});
process.stdout.write(`${folder}\n`);
