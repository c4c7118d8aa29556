/**
 * Cleans up after a check-up, however that ends. It is told of every process group and makes the folder for temporary
 * files; when its standard input ends, because the check-up has closed it or is dead, it kills the groups and removes the
 * folder. It has a session of its own, so that Ctrl-C in the terminal does not reach it.
 *
 * Input, a line each: `+PID SIGNAL` a process group and what ends it, `-PID` one that has ended. First line of output: the folder.
 *
 * @module
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanUp, type ProcessGroups } from '../reaper.ts';

const groups: ProcessGroups = new Map();

for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {});

const folder = mkdtempSync(join(tmpdir(), 'holdfast-lab-'));

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [number = '', endsBy = 'SIGKILL'] = line.slice(1).split(' ');
    const pid = Number(number);
    if (!Number.isInteger(pid) || pid <= 1) return;
    if (line.startsWith('+')) groups.set(pid, endsBy as NodeJS.Signals);
    else groups.delete(pid);
  })
  .on('close', () => {
    cleanUp(groups, folder);
    process.exit();
  });

process.stdout.on('error', () => {});
process.stdout.write(`${folder}\n`);
