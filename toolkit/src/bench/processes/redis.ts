/**
 * The benchmark for one Redis: starts a server, measures, prints. Everything that it starts ends with it.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { endOnSignal } from '../../lab/interrupt.ts';
import { Reaper } from '../../lab/reaper.ts';
import { findRedisServer } from '../../lab/servers/find-server.ts';
import { RedisServer } from '../../lab/servers/redis.ts';
import type { Bench } from '../bench.ts';
import { describeMachine, loadNow } from '../machine.ts';
import { type Layout, measureHandOver } from '../measures/hand-over.ts';
import { type HeldSettings, measureHeldLocks } from '../measures/held-locks.ts';
import { measureCore, measurePairs } from '../measures/pairs.ts';
import { measureWaiting } from '../measures/waiting.ts';
import { withFigures } from '../page.ts';
import { roundsOf } from '../publish.ts';
import type { BenchResult, RedisBenchMachine } from '../result.ts';
import { describeResult } from '../tables.ts';

const PARTS = ['core', 'pairs', 'hand-over', 'held'] as const;
type Part = (typeof PARTS)[number];

const HELP = `Measures Holdfast's locks on one Redis against what Redis itself can do.

  npm run bench -- [options]

  --quick           fewer rounds, fewer held locks: to see that it works, not to publish
  --rounds N        alternating rounds for each comparison (15)
  --only PART       ${PARTS.join(', ')}; may be given more than once
  --json FILE       writes the result as JSON, too
  --markdown FILE   writes the tables into this page, in place of those it has
`;

const NAMES_AT_ONCE = [1, 64, 512];
const LAYOUTS: readonly Layout[] = [0, 2].flatMap((holdMs) =>
  [10, 100].flatMap((waiters) => [1, 4].map((processes) => ({ waiters, processes, holdMs }))),
);

/** Long enough for two heartbeats. */
const QUIET = { waiters: 100, processes: 4, forMs: 11_000 };

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string' },
  only: { type: 'string', multiple: true },
  json: { type: 'string' },
  markdown: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

let lastMeasure = '';

await main().catch((error: unknown) => {
  process.stderr.write(`holdfast bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: OPTIONS });
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = roundsOf(options.rounds, options.quick ? 3 : 15);
  const wanted = options.only ?? PARTS;
  for (const part of wanted) {
    if (!PARTS.includes(part as Part)) throw new RangeError(`--only must be one of ${PARTS.join(', ')}.`);
  }
  const page = options.markdown === undefined ? undefined : readFileSync(options.markdown, 'utf8');

  const program = findRedisServer();
  if ('missing' in program) throw new Error(program.missing);
  const reaper = await Reaper.start();
  const interrupt = endOnSignal(reaper);
  let server: RedisServer | undefined;
  try {
    server = await RedisServer.start({ reaper, program: program.file, name: 'redis', folder: reaper.folder });
    // The lab's servers tell of every key, which nobody here listens to.
    await server.client.config('SET', 'notify-keyspace-events', '');
    const bench: Bench = { reaper, server, rounds, warmUpMs: options.quick ? 500 : 2_000, progress };
    const result = await interrupt.unlessInterrupted(measureAll(bench, wanted as readonly Part[], options.quick));
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    const text = describeResult(result);
    process.stdout.write(`${text}\n`);
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, undefined, 2)}\n`);
    if (options.markdown !== undefined && page !== undefined) {
      writeFileSync(options.markdown, withFigures(page, text));
    }
  } finally {
    interrupt.dispose();
    server?.stop();
    await reaper.close();
  }
}

async function measureAll(bench: Bench, parts: readonly Part[], quick: boolean): Promise<BenchResult> {
  const startedAt = new Date().toISOString();
  const loadBefore = loadNow();
  const core = parts.includes('core') ? await measureCore(bench) : undefined;
  const pairs = parts.includes('pairs') ? await measurePairs(bench, NAMES_AT_ONCE) : [];
  const handOvers = [];
  for (const layout of parts.includes('hand-over') ? LAYOUTS : []) handOvers.push(await measureHandOver(bench, layout));
  const waiting = parts.includes('hand-over') ? await measureWaiting(bench, QUIET, QUIET.forMs) : undefined;
  const held = [];
  for (const settings of parts.includes('held') ? heldSettings(quick) : [])
    held.push(await measureHeldLocks(bench, settings));
  const machine = await describeAll(bench, loadBefore);
  const args = process.argv.slice(2).join(' ');
  const command = `npm run bench${args === '' ? '' : ` -- ${args}`}`;
  return { version: 1, startedAt, command, rounds: bench.rounds, machine, core, pairs, handOvers, waiting, held };
}

function heldSettings(quick: boolean): readonly HeldSettings[] {
  const [locks, ttlMs] = quick ? [1_000, 6_000] : [10_000, 30_000];
  return [
    { subject: 'holdfast', locks, ttlMs, acquiredOverMs: 0 },
    { subject: 'holdfast', locks, ttlMs, acquiredOverMs: ttlMs / 3 },
    { subject: 'raw', locks, ttlMs, acquiredOverMs: 0 },
    { subject: 'raw', locks, ttlMs, acquiredOverMs: ttlMs / 3 },
  ];
}

async function describeAll({ server }: Bench, loadBefore: number): Promise<RedisBenchMachine> {
  const version = (await server.info('server', 'valkey_version')) ?? (await server.info('server', 'redis_version'));
  const name = (await server.info('server', 'server_name')) ?? 'redis';
  const { version: ioredis } = createRequire(import.meta.url)('ioredis/package.json') as { version: string };
  return { ...describeMachine(loadBefore), server: `${name} ${version}`, ioredis };
}

/** One line that is written again and again on a terminal; elsewhere one for each measure. */
function progress(measure: string, detail: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kholdfast bench: ${measure}, ${detail}`);
  else if (measure !== lastMeasure) process.stderr.write(`holdfast bench: ${measure}\n`);
  lastMeasure = measure;
}
