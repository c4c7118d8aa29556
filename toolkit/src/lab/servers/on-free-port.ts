/**
 * Starts a program of the lab on a free loopback port, and waits until it answers there.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Reaper } from '../reaper.ts';
import { freePort } from './free-port.ts';
import { hasEnded } from './member.ts';
import { onFreePorts, type Program, startProgram, untilAllAnswer } from './program.ts';

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
export function startOnFreePort({ reaper, command, answers, ...named }: PortProgram): Promise<Started> {
  return onFreePorts(async () => {
    const port = await freePort();
    const [file = '', ...args] = command(port);
    const program: Program = { ...named, file, args };
    const process = startProgram(reaper, program);
    await untilAllAnswer([{ program, process, answers: () => answers(port) }]);
    return { port, process };
  });
}

/** Ends it with this signal, and resolves when it has gone. */
export async function end(process: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(process)) return;
  const gone = once(process, 'exit');
  process.kill(signal);
  await gone;
}
