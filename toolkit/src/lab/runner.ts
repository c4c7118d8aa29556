/**
 * Runs the tasks of a check-up, a few at a time, and makes a result of each.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Cluster, folderOnly, singleRedis, theirServer } from './cluster.ts';
import { ensembleCluster } from './ensemble-cluster.ts';
import type { Experiment } from './experiment.ts';
import { HistoryWriter, parseHistory } from './history.ts';
import { Holder } from './holder.ts';
import { judge } from './judge.ts';
import type { Reaper } from './reaper.ts';
import { replicatedRedis } from './redis-cluster.ts';
import { redlockServers } from './redlock-cluster.ts';
import { Resource } from './resource.ts';
import type { Guarantee, Result } from './result.ts';
import type { Scene } from './scene.ts';
import { hideSecretsOf } from './secrets.ts';
import { findStrace, type ServerProgram, type ServerPrograms } from './servers/find-server.ts';
import { type SqlWay, sqlCluster } from './sql-cluster.ts';
import { packHistory } from './stored-history.ts';
import { messageOf } from './subjects/load-subject.ts';
import type { Task } from './tasks.ts';
import { Tool } from './tool.ts';
import { withWays } from './ways.ts';

/** How long a subject may take to close before its process is ended. */
const CLOSE_LIMIT_MS = 3_000;

export interface Watcher {
  started(task: Task): void;
  /** What the task is doing now. */
  doing(task: Task, what: string): void;
  finished(task: Task, result: Result): void;
  /** Something that does not change the result, and that people should know. */
  warned(text: string): void;
}

export interface RunOptions {
  readonly reaper: Reaper;
  readonly programs: ServerPrograms;
  readonly pgbouncer: ServerProgram;
  readonly url: string | undefined;
  readonly signal: AbortSignal;
  /** How many tasks at once. Each waits most of its time, so it may be more than there are cores. */
  readonly concurrency: number;
  readonly watcher: Watcher;
}

export interface Report {
  readonly results: readonly Result[];
  /** The servers that the lab started, with their versions. */
  readonly servers: readonly string[];
  /** What the locks that were run state about themselves, by their names. */
  readonly guarantees: ReadonlyMap<string, Guarantee>;
}

/** Rejects only when it is aborted; what goes wrong inside a task is that task's result. */
export async function runTasks(tasks: readonly Task[], options: RunOptions): Promise<Report> {
  const results = new Map<Task, Result>();
  const found: Found = { servers: new Set(), guarantees: new Map() };
  const queue = tasks.filter((task) => task.notRun === undefined);
  for (const task of tasks) {
    if (task.notRun === undefined) continue;
    const result = notRunResult(task, task.notRun);
    results.set(task, result);
    options.watcher.finished(task, result);
  }

  const workers = Array.from({ length: options.concurrency }, async () => {
    for (let task = queue.shift(); task && !options.signal.aborted; task = queue.shift()) {
      options.watcher.started(task);
      const result = await runTask(task, options, found);
      if (options.signal.aborted) return;
      results.set(task, result);
      options.watcher.finished(task, result);
    }
  });
  await Promise.all(workers);
  options.signal.throwIfAborted();
  return {
    results: tasks.flatMap((task) => results.get(task) ?? []),
    servers: [...found.servers].sort(),
    guarantees: found.guarantees,
  };
}

/** What the tasks of one check-up add to. */
interface Found {
  readonly servers: Set<string>;
  readonly guarantees: Map<string, Guarantee>;
}

function notRunResult({ experiment, subject, expected }: Task, reason: string): Result {
  return {
    experiment: experiment.id,
    subject: subject.name,
    verdict: 'not-run',
    expected,
    figures: {},
    checks: [],
    evidence: [],
    reason,
  };
}

/** Makes the folder of one task, for its history and for what its servers and processes print. */
function makeFolder({ experiment, subject }: Task, parent: string): string {
  const name = `${experiment.id}-${subject.name.replaceAll(/[^a-zA-Z0-9_-]+/g, '-')}`;
  // Two subjects may differ only in characters that a folder does not have.
  for (let number = 1; ; number++) {
    const folder = path.join(parent, number === 1 ? name : `${name}-${number}`);
    if (existsSync(folder)) continue;
    mkdirSync(folder);
    return folder;
  }
}

async function runTask(task: Task, options: RunOptions, found: Found): Promise<Result> {
  const { experiment, subject, timing } = task;
  const folder = makeFolder(task, options.reaper.folder);
  const historyFile = path.join(folder, 'history.jsonl');
  const history = new HistoryWriter(historyFile, 'lab');
  history.write({
    f: 'run',
    type: 'event',
    format: 1,
    experiment: experiment.id,
    subject: subject.name,
    ttlMs: timing.ttlMs,
  });
  const hideSecrets = hideSecretsOf(options.url ?? '');
  try {
    await play(task, options, { folder, historyFile, history, found, hideSecrets });
    history.write({ f: 'end', type: 'event' });
  } catch (error) {
    history.write({ f: 'trouble', type: 'event', error: hideSecrets(messageOf(error)) });
  } finally {
    history.close();
  }
  const text = readFileSync(historyFile, 'utf8');
  const stored = packHistory(text);
  return { ...judge(task, parseHistory(text)), ...(stored ? { history: stored } : {}) };
}

interface Stage {
  readonly folder: string;
  readonly historyFile: string;
  readonly history: HistoryWriter;
  readonly found: Found;
  readonly hideSecrets: (text: string) => string;
}

/** Builds the scene, plays the workload in it, and takes it down again whatever happened. */
async function play(task: Task, options: RunOptions, stage: Stage): Promise<void> {
  const { folder, historyFile, history, found, hideSecrets } = stage;
  const { reaper, signal } = options;
  const report = (what: string): void => options.watcher.doing(task, what);
  const lockName = `holdfast-checkup-${randomBytes(6).toString('hex')}`;
  const closers: (() => Promise<void>)[] = [];
  try {
    report('starting servers');
    const servers = await clusterFor(task, options, { folder, history, lockName });
    closers.unshift(() => servers.close());
    const cluster = await withWays(servers, task.experiment);
    closers.unshift(async () => cluster.closeWays?.());
    for (const server of cluster.servers) found.servers.add(server);
    const resource = await Resource.start(reaper, historyFile);
    closers.unshift(async () => resource.kill());

    const processes: Holder[] = [];
    const start = (by: string): Holder => {
      const holder = new Holder({ reaper, by, historyFile, hideSecrets });
      processes.push(holder);
      return holder;
    };
    const holders = { A: start('A'), B: start('B') };
    // What waits for an answer of a holder then waits no longer.
    const killAll = (): void => {
      for (const holder of processes) holder.kill();
    };
    signal.addEventListener('abort', killAll, { once: true });
    closers.unshift(async () => signal.removeEventListener('abort', killAll));
    closers.unshift(() => closeHolders(processes, folder, signal));
    await Promise.all([holders.A.ready(), holders.B.ready()]);
    report('opening the subject');
    const opening = { subject: task.subject.source, url: cluster.url, resourcePort: resource.port };
    const [{ guarantee }] = await Promise.all([
      holders.A.ask('open', { ...opening, url: cluster.urlOfA ?? cluster.url }),
      holders.B.ask('open', opening),
    ]);
    if (guarantee) found.guarantees.set(task.subject.name, guarantee);
    if (guarantee && guarantee.fairness !== 'none') history.write({ f: 'order-promised', type: 'event' });

    const scene: Scene = {
      cluster,
      holders,
      history,
      timing: task.timing,
      lockName: cluster.lockName ?? lockName,
      signal,
      report,
      opening,
      async startProcess(by) {
        const holder = start(by);
        await holder.ready();
        return holder;
      },
      tool(name) {
        const program = findStrace();
        if ('missing' in program) throw new Error(program.missing);
        const tool = new Tool({ reaper, folder, name, file: program.file });
        closers.unshift(async () => tool.stop());
        return tool;
      },
      onEnd: (close) => closers.unshift(async () => close()),
    };
    await task.experiment.workload(scene, task.experiment.fault);
  } finally {
    for (const close of closers) {
      // What went wrong before matters more, and what comes after must be closed too.
      await close().catch((error: unknown) => options.watcher.warned(hideSecrets(messageOf(error))));
    }
  }
}

function clusterFor(
  { experiment, subject, timing }: Task,
  { reaper, programs, pgbouncer, url }: RunOptions,
  { folder, history, lockName }: Pick<Stage, 'folder' | 'history'> & { lockName: string },
): Promise<Cluster> | Cluster {
  const { servers, holderAsks, idleLimitMs } = experiment;
  if (url !== undefined && servers === 'one') return theirServer(url, lockName);
  if (subject.server === 'none') return folderOnly(folder);
  const program = programs[subject.server];
  if ('missing' in program) throw new Error(program.missing);
  if (subject.server === 'redlock') {
    const minorityApart = servers === 'redlock-minority-apart';
    return redlockServers({ reaper, program: program.file, folder, history, minorityApart });
  }
  if (subject.server !== 'redis') {
    const { server: kind } = subject;
    if (kind === 'etcd' || kind === 'zookeeper') {
      const members = servers === 'own-three' ? 3 : 1;
      return ensembleCluster({ reaper, kind, program, folder, members, holderAsks });
    }
    const way = WAYS[servers] ?? 'direct';
    const use = { reaper, kind, program: program.file, folder, history, way, pgbouncer } as const;
    return sqlCluster({ ...use, idleLimitMs: idleLimitMs?.(timing) });
  }
  const use = { reaper, program: program.file, folder, history };
  switch (servers) {
    case 'redis-replicated':
    case 'redis-sentinels':
    case 'redis-two-replicas':
    case 'redis-min-replicas':
    case 'redis-cluster':
      return replicatedRedis({ ...use, setUp: servers, followsSentinels: subject.followsSentinels });
    default:
      if (subject.needsReplica) return replicatedRedis({ ...use, setUp: 'redis-replicated', followsSentinels: false });
      return singleRedis({ ...use, persistence: experiment.persistence ?? 'none' });
  }
}

/** What stands before a database. */
const WAYS: Partial<Record<Experiment['servers'], SqlWay>> = {
  'behind-black-hole': 'black-hole',
  'behind-line': 'line',
  'behind-pooler': 'pooler',
};

async function closeHolders(holders: readonly Holder[], folder: string, signal: AbortSignal): Promise<void> {
  await Promise.all(
    holders.map(async (holder) => {
      // A subject that cannot close is ended; what was to be found out has been.
      if (!holder.hasEnded && !signal.aborted) await holder.ask('close', {}, CLOSE_LIMIT_MS).catch(() => {});
      holder.kill();
      if (holder.output !== '') writeFileSync(path.join(folder, `holder-${holder.by}.log`), holder.output);
    }),
  );
}
