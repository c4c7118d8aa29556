/**
 * The benchmark of a lock on five Redis servers: starts them, measures, prints. Everything that it starts ends with it.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import type { Reaper } from '../../lab/reaper.ts';
import { findServers } from '../../lab/servers/find-server.ts';
import { RedisServer } from '../../lab/servers/redis.ts';
import { publish, roundsOf } from '../publish.ts';
import {
  measureApart,
  measureOutages,
  measurePairs,
  type OutageFigures,
  type PairFigures,
} from '../redlock/measures.ts';
import { describeRedlock } from '../redlock/tables.ts';
import { openVariants } from '../redlock/variants.ts';

const SERVERS = 5;

const HELP = `Measures holdfast/redlock on five servers against one server through the same client, and against others.

  npm run bench:redlock -- [options]

  --quick           fewer rounds: to see that it works, not to publish
  --rounds N        alternating rounds (15)
  --peer FILE       a subject of the check-up to compare with; may be given several times
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
      peer: { type: 'string', multiple: true, default: [] },
      markdown: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = roundsOf(options.rounds, options.quick ? 3 : 15);
  await publish({
    script: 'bench:redlock',
    rounds,
    markdown: options.markdown,
    measure: (reaper) => measure(reaper, rounds, options.peer, options.quick),
    describe: (measured, circumstances) => describeRedlock({ ...circumstances, ...measured }),
  });
}

interface Measured {
  readonly server: string;
  readonly pairs: readonly PairFigures[];
  readonly apart: readonly PairFigures[];
  readonly outages: readonly OutageFigures[];
}

async function measure(reaper: Reaper, rounds: number, peers: readonly string[], quick: boolean): Promise<Measured> {
  const program = findServers().redlock;
  if ('missing' in program) throw new Error(program.missing);
  const say = (what: string): unknown => process.stderr.write(`holdfast bench: ${what}\n`);
  say('starting five servers');
  const servers: RedisServer[] = [];
  try {
    for (let number = 1; number <= SERVERS; number++) {
      const use = { reaper, program: program.file, folder: reaper.folder, name: `redis-${number}` };
      servers.push(await RedisServer.start(use));
    }
    const version = await (servers[0] as RedisServer).info('server', 'redis_version');
    const variants = await openVariants(
      servers.map(({ port }) => port),
      peers,
    );
    say('pairs');
    const pairs = await measurePairs(variants, rounds, 400);
    for (const variant of variants) await variant.close();
    say('with the servers 1 ms away');
    const apart = await measureApart(servers, 1, rounds, 400);
    say('with servers that are frozen and dead');
    const outages = await measureOutages(servers, quick ? 200 : 1_000);
    return { server: `redis ${version}`, pairs, apart, outages };
  } finally {
    for (const server of servers) server.stop();
  }
}
