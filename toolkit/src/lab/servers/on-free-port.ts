/**
 * Starts a program of the lab on a free loopback port, and waits until it answers there.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reaper } from '../reaper.ts';
import { until } from '../until.ts';
import { freePort } from './free-port.ts';

/** A database on a busy machine needs seconds for its start. */
const READY_LIMIT_MS = 45_000;

export interface PortProgram {
  readonly reaper: Reaper;
  /** As it stands in the history, and names its log. */
  readonly name: string;
  readonly folder: string;
  /** The whole command for this port. */
  readonly command: (port: number) => readonly string[];
  /** Whether it is this very program that answers on its port; a rejection means not yet. */
  readonly answers: (port: number) => Promise<boolean>;
  /** What ends it with all that it has. Default: SIGKILL. */
  readonly endsBy?: NodeJS.Signals;
}

export interface Started {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Resolves when it answers. Takes another port if somebody was quicker with the first. */
export async function startOnFreePort(program: PortProgram): Promise<Started> {
  const { reaper, name, folder, command, answers, endsBy = 'SIGKILL' } = program;
  mkdirSync(folder, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const log = openSync(path.join(folder, `${name}.log`), 'w');
    const [file = '', ...args] = command(port);
    const process = reaper.spawnProgram(file, args, { cwd: folder, output: log, endsBy });
    closeSync(log);
    process.on('error', () => {}); // then it has no pid
    const look = async (): Promise<boolean> => {
      if (process.pid === undefined || hasEnded(process)) throw new Error('It has ended.');
      return await answers(port).catch(() => false);
    };
    try {
      await until(`${name} answering on port ${port}`, look, { limitMs: READY_LIMIT_MS, everyMs: 20 });
      return { port, process };
    } catch (error) {
      process.kill(endsBy);
      const said = endOfLog(program);
      if (/address already in use/i.test(said) && attempt < 5) continue;
      throw new Error(`${name} did not start.\n${said}`, { cause: error });
    }
  }
}

/** Ends it with this signal, and resolves when it has gone. */
export async function end(process: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(process)) return;
  const gone = once(process, 'exit');
  process.kill(signal);
  await gone;
}

function hasEnded(process: ChildProcess): boolean {
  return process.exitCode !== null || process.signalCode !== null;
}

function endOfLog({ folder, name }: PortProgram): string {
  return readFileSync(path.join(folder, `${name}.log`), 'utf8')
    .split('\n')
    .slice(-12)
    .join('\n')
    .trim();
}
