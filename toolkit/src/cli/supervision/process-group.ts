/**
 * The processes of a command: its session, which it was started as the leader of, and in there mostly one process
 * group. A signal to the group reaches all of it in one step of the kernel, forking members included.
 *
 * Two traps, both on Linux answered from /proc. A zombie answers to signals although it does not run, and nobody may
 * ever reap it (in a container without an init), so zombies do not count. And a number may be used again after its
 * processes have gone, so the leader's start time says whether it still means the same group.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface ProcessFacts {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** In ticks since boot; undefined where the system has no /proc. */
  readonly startedAt: string | undefined;
}

/** What tells a group from a later one with the same number; undefined where the system has no /proc. */
export type GroupBirth = string | undefined;

export class ProcessGroup {
  /** The process id of the command, which is also the number of its group and its session. */
  readonly id: number;
  readonly birth: GroupBirth;

  constructor(id: number, birth: GroupBirth) {
    this.id = id;
    this.birth = birth;
  }

  /** Sends to the group, and with `wholeSession` also to groups that were made within the session. */
  signal(signal: NodeJS.Signals, { wholeSession }: { readonly wholeSession: boolean }): void {
    if (this.#numberWasGivenAway()) return;
    send(-this.id, signal);
    if (!wholeSession) return;
    for (const group of new Set(this.#living().map((process) => process.group)))
      if (group !== this.id) send(-group, signal);
  }

  /** Sends to the command alone, not to its children. */
  signalLeader(signal: NodeJS.Signals): void {
    if (!this.#numberWasGivenAway()) send(this.id, signal);
  }

  /** The processes that still run, in the group or elsewhere in the session. Empty means: gone. */
  living(): number[] {
    if (this.#numberWasGivenAway()) return [];
    return this.#living().map(({ pid }) => pid);
  }

  #living(): ProcessFacts[] {
    return readAll().filter(
      ({ group, session, state }) => (group === this.id || session === this.id) && !/^[ZX]/.test(state),
    );
  }

  /** As long as a member is left, the kernel keeps the number; another leader of this number means that none was. */
  #numberWasGivenAway(): boolean {
    if (this.birth === undefined) return false;
    const leader = readOne(this.id);
    return leader !== undefined && leader.startedAt !== this.birth;
  }
}

/** The birth of the group whose leader was just started. */
export function birthOf(leader: number): GroupBirth {
  return readOne(leader)?.startedAt;
}

/** The groups of processes that were started with these entries in their environment. Linux only; elsewhere empty. */
export function groupsWithEnvironment(entries: readonly string[]): ProcessGroup[] {
  const sessions = withEnvironment(entries).map(({ session }) => session);
  return [...new Set(sessions)].map((session) => new ProcessGroup(session, birthOf(session)));
}

/** Sends SIGKILL to each process that was started with this entry in its environment. Linux only. */
export function killWithEnvironment(entry: string): void {
  for (const { pid } of withEnvironment([entry])) send(pid, 'SIGKILL');
}

function withEnvironment(entries: readonly string[]): ProcessFacts[] {
  if (process.platform !== 'linux') return [];
  return readAll().filter(({ pid }) => {
    const environment = readFileQuietly(`/proc/${pid}/environ`).split('\0');
    return entries.every((entry) => environment.includes(entry));
  });
}

function readFileQuietly(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended meanwhile, or belongs to somebody else
  }
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // ESRCH: nobody is left. EPERM: it has changed its user; living() goes on to name it.
  }
}

function readAll(): ProcessFacts[] {
  if (process.platform !== 'linux') return readFromPs();
  const found: ProcessFacts[] = [];
  for (const entry of readdirSync('/proc')) {
    const facts = /^\d+$/.test(entry) ? readOne(Number(entry)) : undefined;
    if (facts !== undefined) found.push(facts);
  }
  return found;
}

function readOne(pid: number): ProcessFacts | undefined {
  if (process.platform !== 'linux') return undefined;
  return parseStat(pid, readFileQuietly(`/proc/${pid}/stat`));
}

/** Reads /proc/PID/stat. The name of the program, in parentheses, may itself hold spaces and parentheses. */
export function parseStat(pid: number, stat: string): ProcessFacts | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, , group, session] = fields;
  if (state === undefined || group === undefined || session === undefined) return undefined;
  return { pid, state, group: Number(group), session: Number(session), startedAt: fields[19] };
}

/** Where there is no /proc: the group only, since `ps` does not name sessions in the same way everywhere. */
function readFromPs(): ProcessFacts[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid = '', group = '', state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), group: Number(group), session: Number.NaN, state, startedAt: undefined };
  });
}
