/**
 * What the lab knows of an etcd or a ZooKeeper, of one server or of three: its members, which of them leads, and what the
 * servers themselves count of watches.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import type { Dated } from './dated.ts';

/** One server, in a process of its own. */
export interface Member {
  /** As it stands in the history: `etcd-2`. */
  readonly name: string;
  readonly process: ChildProcess;
  readonly pid: number;
  /** Where clients reach it: `127.0.0.1:2379`. */
  readonly address: string;
}

/** What the servers of one run have done so far, by their own count and without what the lab asks. */
export interface Counts {
  /** What clients have sent to them. */
  readonly requests: number;
  /** Where there are watches: how many they have answered. */
  readonly watchesAnswered?: number;
}

export interface Ensemble {
  readonly members: readonly Member[];
  /** Name and version. */
  readonly version: string;
  /** The URL under which a subject reaches these members, tried in this order where it asks one after the other. */
  urlOf(members: readonly Member[]): string;
  /** The one that leads now. Undefined while there is none, and without what dead members would say. */
  leader(): Promise<Member | undefined>;
  /** How many watches the living members keep. */
  openWatches(): Promise<number>;
  /** What the members have done since they were started. Rejects where one of them does not say: a sum without it is none. */
  counts(): Promise<Counts>;
  /** Writes something, so that the leader has something to write to its disk. Only where an experiment needs it. */
  writeSomething?(): Promise<void>;
  /** The date of one of them. */
  dated(member: Member): Dated;
  stop(): void;
}

/** Whether a process of ours has ended. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Ends it at once: it has nothing to save. A stopped process as well, unless the signal is another. */
export function kill(process: ChildProcess, endsBy: NodeJS.Signals = 'SIGKILL'): void {
  if (!hasEnded(process)) process.kill(endsBy);
}
