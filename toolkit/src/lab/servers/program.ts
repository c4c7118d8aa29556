/**
 * Starts a server program of the lab on ports that are free, and waits until it answers.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reaper } from '../reaper.ts';
import { until } from '../until.ts';
import { hasEnded, kill } from './member.ts';

/** A database or a Java program on a busy machine needs seconds for its start. */
const READY_LIMIT_MS = 45_000;

export interface Program {
  /** As it stands in the history, and names its log. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** What ends it with all that it has. Default: SIGKILL. */
  readonly endsBy?: NodeJS.Signals;
}

/** Its output goes to a log of its name. */
export function startProgram(reaper: Reaper, { name, file, args, folder, endsBy = 'SIGKILL' }: Program): ChildProcess {
  mkdirSync(folder, { recursive: true });
  const output = openSync(path.join(folder, `${name}.log`), 'w');
  const child = reaper.spawnProgram(file, args, { cwd: folder, output, endsBy });
  closeSync(output);
  child.on('error', () => {}); // then it has no pid
  return child;
}

/** Resolves when all of them answer. Rejects with the end of the log of one that has ended or does not. */
export async function untilAllAnswer(
  programs: readonly { readonly program: Program; readonly process: ChildProcess; answers(): Promise<boolean> }[],
): Promise<void> {
  await Promise.all(
    programs.map(async ({ program, process, answers }) => {
      const look = async (): Promise<boolean> => {
        if (process.pid === undefined || hasEnded(process)) throw new Error(`${program.name} has ended.`);
        return await answers().catch(() => false);
      };
      try {
        await until(`${program.name} answering`, look, { limitMs: READY_LIMIT_MS, everyMs: 25 });
      } catch (error) {
        for (const each of programs) kill(each.process, each.program.endsBy);
        throw new Error(`${program.name} did not start.\n${endOfLog(program)}`, { cause: error });
      }
    }),
  );
}

/** Chooses other ports and tries again, up to five times, while one was taken in the moment between its choice and its use. */
export async function onFreePorts<Started>(tryToStart: () => Promise<Started>): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToStart();
    } catch (error) {
      if (attempt === 5 || !portWasTaken(error)) throw error;
    }
  }
}

function portWasTaken(error: unknown): boolean {
  return error instanceof Error && /address already in use/i.test(error.message);
}

function endOfLog({ folder, name }: Program): string {
  return readFileSync(path.join(folder, `${name}.log`), 'utf8')
    .split('\n')
    .slice(-12)
    .join('\n')
    .trim();
}
