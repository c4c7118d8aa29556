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
  type CrowdFigures,
  type LineFigures,
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

await runKindsBench({
  script: 'bench:consensus',
  about:
    "Measures Holdfast's locks on an etcd and a ZooKeeper against the bare calls through the same client, and others.",
  kinds: ['etcd', 'zookeeper'],
  quickRounds: 2,
  measure,
  describe: (systems, circumstances) => describeConsensus({ ...circumstances, systems }),
});

async function measure(kind: System['kind'], reaper: Reaper, rounds: number): Promise<SystemFigures> {
  const say = (what: string): unknown => process.stderr.write(`holdfast bench: ${kind}, ${what}\n`);
  say('starting');
  const ensemble = await start(kind, reaper);
  const { address, pid } = ensemble.members[0] as Member;
  const consensus: Consensus = { system: openSystem(kind, address), reaper, address, pid, rounds };
  try {
    say('pairs');
    const pairs = [await measurePairs(consensus, 1, 400), await measurePairs(consensus, 64, 400)];
    const lines: LineFigures[] = [];
    for (const [waiters, processes] of [
      [10, 1],
      [100, 1],
      [10, 4],
      [100, 4],
    ] as const) {
      say(`hand-over, ${waiters} waiters in ${processes} processes`);
      lines.push(...(await measureLine(consensus, { waiters, processes })));
    }
    const crowds: CrowdFigures[] = [];
    for (const waiters of [0, 1, 100, 1_000]) {
      say(`${waiters} who wait`);
      crowds.push(await measureCrowd(consensus, waiters, 10_000));
    }
    say('a thousand held locks');
    const held = await measureHeld(consensus, 1_000, 9_000, 3);
    say('a server that is stopped');
    const loss = await measureLoss(consensus, 3_000, Math.min(10, rounds));
    say('killed holders');
    const recovery = await measureRecovery(consensus, 2_000, Math.min(10, rounds));
    return { server: ensemble.version, pairs, lines, crowds, held, loss, recovery };
  } finally {
    ensemble.stop();
  }
}

function start(kind: System['kind'], reaper: Reaper): ReturnType<typeof startEtcd> {
  const program = findServers()[kind];
  if ('missing' in program) throw new Error(program.missing);
  const use = { reaper, folder: reaper.folder, members: 1 } as const;
  if (kind === 'etcd') return startEtcd({ ...use, program: program.file });
  if (program.jar === undefined) throw new Error('ZooKeeper has no jar.');
  return startZooKeeper({ ...use, java: program.file, jar: program.jar });
}
