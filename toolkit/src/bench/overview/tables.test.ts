import picocolors from 'picocolors';
import { expect, it } from 'vitest';
import type { BackendFigures, BenchDocument, SubjectFigures } from './document.ts';
import { describeDocument } from './tables.ts';
import { documentLines } from './terminal.ts';

const spread = (median: number) => ({ median, min: median / 2, max: median * 2 });

const subject = (id: string, perSecond: number, ratio: number | null): SubjectFigures => {
  const compared = ratio === null ? null : spread(ratio);
  const pairs = { perSecond: spread(perSecond), p50Ms: spread(0.5), p99Ms: spread(12.34), ratio: compared };
  return {
    id,
    how: `how ${id} does it`,
    serial: pairs,
    concurrent: pairs,
    handOver: { handOvers: 70, p50Ms: spread(1.25), p99Ms: 9.5, ratio: compared },
    held: null,
    failures: [],
  };
};

const backend = (id: BackendFigures['id'], perSecond: number): BackendFigures => ({
  id,
  what: 'one server',
  server: `${id} 1.2.3`,
  tookMs: 1_000,
  subjects: [subject('holdfast', perSecond, null), subject('raw', perSecond * 2, 0.5)],
});

const document: BenchDocument = {
  document: 'holdfast bench',
  version: 1,
  startedAt: '2026-01-02T03:04:05.000Z',
  tookMs: 61_000,
  command: 'npx holdfast bench',
  settings: {
    rounds: 7,
    sliceMs: 300,
    names: 64,
    waiters: 10,
    waitingProcesses: 2,
    heldLocks: 1_000,
    heldTtlMs: 6_000,
    heldRounds: 3,
  },
  machine: {
    os: 'Linux 6',
    arch: 'x64',
    cpuModel: 'A processor',
    cpus: 2,
    node: 'v20.20.2',
    holdfast: '0.1.0',
    loadBefore: 0.1,
    loadAfter: 1.5,
  },
  backends: [backend('redis', 3_000), backend('etcd', 1_000)],
  notRun: [{ name: 'mysql', reason: 'mariadbd is not installed. To install it: npm run setup' }],
};

it('a row has ours, the bare commands, and the ratio with its extremes', () => {
  const text = describeDocument(document);
  const row = text.split('\n').find((line) => line.startsWith('| redis'));
  expect(row?.split('|').map((cell) => cell.trim())).toEqual([
    '',
    'redis',
    '3000 (1500–6000)',
    '0.50 (0.25–1.00)',
    '12.3 (6.2–24.7)',
    '6000 (3000–12000)',
    '0.50 (0.25–1.00)',
    '12.3 (6.2–24.7)',
    '0.50 (0.25–1.00)',
    '',
  ]);
  expect(text).toContain('- **redis**: redis 1.2.3, one server. Raw: how raw does it.');
});

it('the text leaves out what nobody has measured, and says what did not run', () => {
  const text = describeDocument(document);
  expect(text).not.toContain('held locks');
  expect(text).not.toContain('Locks of others');
  expect(text).toContain('- mysql: not run. mariadbd is not installed. To install it: npm run setup');
});

it('Redis and etcd are set in a ratio where both were measured', () => {
  expect(describeDocument(document)).toContain('`redis` does 3.00 times the pairs of `etcd` with Holdfast');
  expect(describeDocument({ ...document, backends: [backend('redis', 3_000)] })).not.toContain('times the pairs');
});

it('the lock of somebody else has a row of its own, and what it could not do stands below', () => {
  const peer = { ...subject('npm:lock', 500, 6), concurrent: null };
  const failures = [{ measure: 'concurrent', reason: 'It hangs.' }] as const;
  const [redis] = document.backends as [BackendFigures];
  const with_ = { ...redis, subjects: [...redis.subjects, { ...peer, failures }] };
  const text = describeDocument({ ...document, backends: [with_] });
  expect(text).toMatch(
    /^\| npm:lock +\| Holdfast on redis +\| 500 \(250–1000\) +\| 6\.00 \(3\.00–12\.00\) +\| +\| +\| 1\.25/m,
  );
  expect(text).toContain('- redis, npm:lock, concurrent: failed. It hangs.');
});

it('one round has no extremes', () => {
  const once = { median: 1_852, min: 1_852, max: 1_852 };
  const one = subject('holdfast', 1, null);
  const pairs = { perSecond: once, p50Ms: once, p99Ms: once, ratio: null };
  const redis = { ...backend('redis', 1), subjects: [{ ...one, serial: pairs, concurrent: null }] };
  const settings = { ...document.settings, rounds: 1 };
  const text = describeDocument({ ...document, settings, backends: [redis] });
  expect(text).toMatch(/^\| redis +\| 1852 +\| 1852\.0 /m);
  expect(text).toContain(': 1 round. A processor');
});

it('a terminal of 80 columns shows every row whole, and no Markdown', () => {
  const peer = subject('npm:a-lock-with-quite-a-long-name', 50_000, 120);
  const held = {
    takenPerSecond: spread(12_345),
    releasedPerSecond: spread(9),
    clientCpuPercent: spread(55),
    takenRatio: spread(1.5),
    clientCpuRatio: null,
  };
  const [one, other] = [backend('zookeeper-3', 123_456), backend('redis-aof', 3_000)];
  const subjects = [...one.subjects.map((subject) => ({ ...subject, held })), peer];
  const lines = documentLines(
    { ...document, backends: [{ ...one, subjects }, other] },
    80,
    picocolors.createColors(false),
  );
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  const text = lines.join('\n');
  expect(text).not.toMatch(/[|`]|\*\*|###/);
  expect(text).toMatch(/^zookeeper-3 +123456 +0\.50 +12\.3 +246912 +0\.50 +0\.50 \(0\.25–1\.00\)$/m);
  expect(text).toContain('1,000 held locks');
  expect(text).toContain('- mysql: not run. mariadbd is not installed.');
});
