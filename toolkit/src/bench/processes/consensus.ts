/**
 * The benchmark for etcd and ZooKeeper: starts a server, measures, prints. Everything that it starts ends with it.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { endOnSignal } from '../../lab/interrupt.ts';
import { machineNow } from '../../lab/machine.ts';
import { Reaper } from '../../lab/reaper.ts';
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
import { withFigures } from '../page.ts';

const KINDS = ['etcd', 'zookeeper'] as const;

const HELP = `Measures Holdfast's locks on an etcd and a ZooKeeper against the bare calls through the same client, and others.

  npm run bench:consensus -- [options]

  --quick           fewer rounds: to see that it works, not to publish
  --rounds N        alternating rounds for each comparison (15)
  --only KIND       ${KINDS.join(' or ')}
  --markdown FILE   writes the tables into this page, in place of those it has
`;

await main().catch((error: unknown) => {
  process.stderr.write(`holdfast bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      markdown: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = options.rounds === undefined ? (options.quick ? 2 : 15) : Number(options.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a whole number from 1.');
  const kinds = options.only === undefined ? KINDS : KINDS.filter((kind) => kind === options.only);
  if (kinds.length === 0) throw new RangeError(`--only must be ${KINDS.join(' or ')}.`);
  const page = options.markdown === undefined ? undefined : readFileSync(options.markdown, 'utf8');

  const reaper = await Reaper.start();
  const interrupt = endOnSignal(reaper);
  try {
    const startedAt = new Date().toISOString();
    const loadBefore = loadavg()[0] as number;
    const systems: SystemFigures[] = [];
    for (const kind of kinds) systems.push(await interrupt.unlessInterrupted(measure(kind, reaper, rounds)));
    const { os, arch, cpus: processors, node } = machineNow([]);
    const args = process.argv.slice(2).join(' ');
    const text = describeConsensus({
      startedAt,
      command: `npm run bench:consensus${args === '' ? '' : ` -- ${args}`}`,
      rounds,
      machine: `${cpus()[0]?.model.trim()}, ${processors} processors, ${os} ${arch}; Node ${node}`,
      loadBefore,
      loadAfter: loadavg()[0] as number,
      systems,
    });
    process.stdout.write(`${text}\n`);
    if (options.markdown !== undefined && page !== undefined)
      writeFileSync(options.markdown, withFigures(page, text, 'npm run bench:consensus'));
  } finally {
    interrupt.dispose();
    await reaper.close();
  }
}

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
