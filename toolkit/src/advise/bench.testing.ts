import { readBenchFigures } from './bench-figures.ts';

/** A median with half and twice of it. */
const spread = (median: number): object => ({ median, min: median / 2, max: median * 2 });

/** As `npm run bench -- --json FILE` writes it. */
export const benchOfRedis: ReturnType<typeof readBenchFigures> = readBenchFigures({
  version: 1,
  startedAt: '2026-01-02T03:04:05.000Z',
  command: 'npm run bench',
  rounds: 15,
  machine: { cpuModel: 'A processor', cpus: 2, node: 'v20.20.2', server: 'redis 7.0.15' },
  pairs: [
    {
      names: 1,
      ratios: [{ ours: 'acquire', theirs: 'raw', ratio: spread(0.5) }],
      subjects: {
        raw: { perSecond: spread(4_000) },
        acquire: { perSecond: spread(2_000), p50Ms: spread(0.4), p99Ms: spread(0.9) },
      },
    },
    { names: 64, ratios: [], subjects: { acquire: { perSecond: spread(20_000) } } },
  ],
  handOvers: [
    { waiters: 10, processes: 1, holdMs: 0, subjects: { holdfast: { p50Ms: spread(0.2) } } },
    {
      ...{ waiters: 10, processes: 4, holdMs: 0, ratio: spread(5) },
      subjects: { holdfast: { p50Ms: spread(0.8) }, 'token-list': { p50Ms: spread(0.16) } },
    },
  ],
});

const ofSubject = (id: string, perSecond: number, p50Ms: number): object => ({
  ...{ id, how: id === 'raw' ? 'bare commands' : 'acquire, release', held: null, failures: [] },
  serial: {
    perSecond: spread(perSecond),
    p50Ms: spread(p50Ms),
    p99Ms: spread(3 * p50Ms),
    ratio: id === 'raw' ? spread(0.8) : null,
  },
  concurrent: { perSecond: spread(7 * perSecond), p50Ms: spread(p50Ms), p99Ms: spread(p50Ms), ratio: null },
  handOver: { handOvers: 40, p50Ms: spread(2 * p50Ms), p99Ms: 9, ratio: id === 'raw' ? spread(1.5) : null },
});

/** As the benchmark of all backends writes it. */
export const benchOfAll: unknown = {
  ...{
    document: 'holdfast bench',
    version: 1,
    startedAt: '2026-01-02T03:04:05.000Z',
    tookMs: 1,
    command: 'holdfast bench',
  },
  settings: { rounds: 5, sliceMs: 400, names: 64, waiters: 10, waitingProcesses: 2, heldLocks: 1_000 },
  machine: { cpuModel: 'A processor', cpus: 2, node: 'v20.20.2', loadBefore: 0.1, loadAfter: 0.2 },
  backends: [
    {
      id: 'redis',
      what: 'one server, in memory only',
      server: 'redis 7.0.15',
      tookMs: 1,
      subjects: [ofSubject('holdfast', 2_000, 0.4), ofSubject('raw', 2_500, 0.3)],
    },
    {
      id: 'etcd-3',
      what: 'three members, each flushes each write',
      server: 'etcd 3.4.23',
      tookMs: 1,
      subjects: [ofSubject('holdfast', 300, 3), ofSubject('raw', 400, 2)],
    },
  ],
  notRun: [],
};
