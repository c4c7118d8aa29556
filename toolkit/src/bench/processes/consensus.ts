/**
 * The benchmark for etcd and ZooKeeper: starts a server, measures, prints. Everything that it starts ends with it.
 *
 * @module
 */
import type { Reaper } from '../../lab/reaper.ts';
import { startEtcd } from '../../lab/servers/etcd.ts';
import { findServers } from '../../lab/servers/find-server.ts';
import type { Member } from '../../lab/servers/member.ts';
import { startZooKeeper } from '../../lab/servers/zookeeper.ts';
import {
  type Consensus,
  measureCrowd,
  measureHeld,
  measureLine,
  measureLoss,
  measurePairs,
  measureRecovery,
} from '../consensus/measures.ts';
import { openSystem } from '../consensus/open-system.ts';
import type { System } from '../consensus/system.ts';
import { describeConsensus, type SystemFigures } from '../consensus/tables.ts';
import { runKindsBench } from '../kinds-bench.ts';

const LINES = [
  { waiters: 10, processes: 1 },
  { waiters: 100, processes: 1 },
  { waiters: 10, processes: 4 },
  { waiters: 100, processes: 4 },
];

const CROWDS = [0, 1, 100, 1_000];

type Part = Exclude<keyof SystemFigures, 'server'>;

await runKindsBench<System['kind'], SystemFigures, Part>({
  script: 'bench:consensus',
  about:
    "Measures Holdfast's locks on an etcd and a ZooKeeper against the bare calls through the same client, and others.",
  kinds: ['etcd', 'zookeeper'],
  parts: ['pairs', 'lines', 'crowds', 'held', 'loss', 'recovery'],
  quickRounds: 2,
  measure,
  describe: (systems, circumstances) => describeConsensus({ ...circumstances, systems }),
});

async function measure(
  kind: System['kind'],
  reaper: Reaper,
  rounds: number,
  isAsked: (part: Part) => boolean,
): Promise<SystemFigures> {
  const say = (what: string): unknown => process.stderr.write(`holdfast bench: ${kind}, ${what}\n`);
  say('starting');
  const ensemble = await start(kind, reaper);
  const { address, pid } = ensemble.members[0] as Member;
  const consensus: Consensus = { system: openSystem(kind, address), reaper, address, pid, rounds };
  try {
    const of = async <Thing>(part: Part, what: string, measured: () => Promise<Thing>): Promise<Thing | undefined> => {
      if (!isAsked(part)) return undefined;
      say(what);
      return measured();
    };
    return {
      server: ensemble.version,
      pairs: await of('pairs', 'pairs', () => inTurn([1, 64], (atOnce) => measurePairs(consensus, atOnce, 400))),
      lines: await of('lines', 'hand-over', () => inTurn(LINES, (line) => measureLine(consensus, line))),
      crowds: await of('crowds', 'who waits', () =>
        inTurn(CROWDS, (waiters) => measureCrowd(consensus, waiters, 10_000)),
      ),
      held: await of('held', 'a thousand held locks', () => measureHeld(consensus, 1_000, 9_000, 3)),
      loss: await of('loss', 'a server that is stopped', () => measureLoss(consensus, 3_000, Math.min(10, rounds))),
      recovery: await of('recovery', 'killed holders', () => measureRecovery(consensus, 2_000, Math.min(10, rounds))),
    };
  } finally {
    ensemble.stop();
  }
}

/** One after the other, so that none disturbs the next. */
async function inTurn<Size, Figures>(
  sizes: readonly Size[],
  measured: (size: Size) => Promise<Figures>,
): Promise<Figures[]> {
  const all: Figures[] = [];
  for (const size of sizes) all.push(await measured(size));
  return all;
}

function start(kind: System['kind'], reaper: Reaper): ReturnType<typeof startEtcd> {
  const program = findServers()[kind];
  if ('missing' in program) throw new Error(program.missing);
  const use = { reaper, folder: reaper.folder, members: 1 } as const;
  if (kind === 'etcd') return startEtcd({ ...use, program: program.file });
  if (program.jar === undefined) throw new Error('ZooKeeper has no jar.');
  return startZooKeeper({ ...use, java: program.file, jar: program.jar });
}
