import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { experiments as all } from '../lab/experiments/all.ts';
import { advise, ContradictionError } from './advice.ts';
import { ANSWERS, type AnswerId, DUTIES, type Note } from './answers.ts';
import { holds, inputsOf } from './condition.ts';
import { CONTRADICTIONS, LIMITS } from './rules.ts';
import { settingsFor } from './settings.ts';
import { complete, type Input, QUESTIONS, type Situation, type Told } from './situation.ts';
import { situations } from './situations.testing.ts';
import { contradictionsOf, FORKS, nextQuestion, partingOf, turnsOf, wayOf } from './way.ts';

const answerTo = (told: Told): AnswerId => advise(told).answer;

/** Stock of a shop: 500 a second usually, 5,000 at the peak; an etcd that the team runs, and Redis with replicas. */
const STOCK: Told = {
  protects: 'data',
  failure: 'incident',
  usualPerSecond: 500,
  peakPerSecond: 5_000,
  servers: ['etcd', 'redis-replicas'],
  skills: ['etcd'],
};

describe('the advice that the experience of others asks for', () => {
  const cases: readonly [string, Told, AnswerId][] = [
    ['stock that must not be oversold, at 500/s and 5,000/s: the etcd that the team runs', STOCK, 'etcd'],
    ['the same above 5,000/s without a token: no lock', { ...STOCK, peakPerSecond: 5_001 }, 'redesign'],
    [
      'the same above 5,000/s, and the write compares the token: Redis with the token',
      { ...STOCK, peakPerSecond: 50_000, resource: 'compare-token' },
      'redis-fenced',
    ],
    [
      'the same without an etcd, and the write compares the token: Redis with the token, and no new cluster',
      { ...STOCK, servers: ['redis-replicas'], resource: 'compare-token' },
      'redis-fenced',
    ],
    [
      'data in PostgreSQL at 400/s, whose transaction compares the token: a lock row beside it',
      { peakPerSecond: 400, writesTo: 'postgres', resource: 'compare-token', servers: ['postgres', 'redis'] },
      'database-fenced',
    ],
    [
      'data in PostgreSQL at 50/s, and nothing said of the guard that there is for it: a lock row beside it',
      { protects: 'data', usualPerSecond: 50, servers: ['postgres'], writesTo: 'postgres' },
      'database-fenced',
    ],
    [
      'the same in MariaDB, where it is said that nothing compares the token: an etcd of its own',
      { protects: 'data', usualPerSecond: 50, servers: ['mysql'], writesTo: 'mysql', resource: 'nothing' },
      'etcd-new',
    ],
    [
      'data in Redis, and nothing said of the guard that there is for it: Redis with the token',
      { protects: 'data', servers: ['redis'], writesTo: 'redis' },
      'redis-fenced',
    ],
    [
      'the same without an etcd, in a Java team: ZooKeeper',
      { ...STOCK, servers: ['redis-replicas'], skills: ['java'] },
      'zookeeper',
    ],
    [
      'the same without an etcd and without Java: an etcd of its own',
      { ...STOCK, servers: ['redis-replicas'], skills: [] },
      'etcd-new',
    ],
    [
      'the same, and the only etcd is that of Kubernetes: an etcd of its own, not that one',
      { ...STOCK, servers: ['etcd-kubernetes', 'redis-replicas'] },
      'etcd-new',
    ],
    [
      'stock of a small shop whose reconciliation mends what is oversold, to be had within 1 ms: Redis',
      { protects: 'data', failure: 'repairable', servers: ['redis-replicas'], budgetMs: 1, peakPerSecond: 2_000 },
      'redis',
    ],
    [
      'the same where the lock may take longer: Redis that waits for a replica',
      { protects: 'data', failure: 'repairable', servers: ['redis-replicas'], peakPerSecond: 2_000 },
      'redis-replicas',
    ],
    [
      'stock whose deduction is one conditional UPDATE: no lock',
      { ...STOCK, resource: 'conditional-write' },
      'optimistic',
    ],
    [
      'the metadata of a storage system over data centres, and who leads there: etcd',
      {
        protects: 'leader',
        failure: 'incident',
        runsOn: 'several-regions',
        servers: ['etcd', 'redis'],
        skills: ['etcd'],
      },
      'etcd',
    ],
    [
      'a cache that is made once too often, which nobody notices: Redis',
      { protects: 'work', failure: 'harmless', servers: ['redis', 'etcd'], skills: ['etcd'] },
      'redis',
    ],
    [
      'deduplication, throttling, double clicks: Redis with replicas',
      { protects: 'work', servers: ['redis-replicas'] },
      'redis',
    ],
    [
      'deduplication 100,000 times a second: Redis',
      { protects: 'work', peakPerSecond: 100_000, servers: ['redis', 'etcd'] },
      'redis',
    ],
    [
      'a notification that goes out twice at the worst, and independent Redis: Redlock will do',
      { protects: 'work', failure: 'harmless', servers: ['redis-independent'] },
      'redlock',
    ],
    [
      'three days of work after one lost lock, and independent Redis: no Redlock',
      { protects: 'data', failure: 'incident', servers: ['redis-independent'] },
      'etcd-new',
    ],
    [
      'a configuration that only one may change: etcd',
      { protects: 'leader', servers: ['etcd'], skills: ['etcd'] },
      'etcd',
    ],
    [
      'the steps of a transaction over several services: etcd',
      { protects: 'data', failure: 'incident', writesTo: 'service', servers: ['etcd', 'redis'], skills: ['etcd'] },
      'etcd',
    ],
    [
      'check-ins at a high rate, of which a doubled one does no harm: Redis',
      { protects: 'work', failure: 'harmless', peakPerSecond: 20_000, servers: ['redis-replicas', 'etcd'] },
      'redis',
    ],
    [
      'a small team that has no server, and can put right what goes wrong: one Redis is the least',
      { protects: 'data', failure: 'repairable', servers: [] },
      'redis',
    ],
    [
      'the same on one machine: nothing to run at all',
      { protects: 'data', failure: 'repairable', servers: [], runsOn: 'one-machine' },
      'sqlite',
    ],
    ['the same where a failure is days of work: an etcd all the same', { protects: 'data', servers: [] }, 'etcd-new'],
    ['a ZooKeeper in a Java team: that one', { ...STOCK, servers: ['zookeeper'], skills: ['java'] }, 'zookeeper'],
    [
      'a ZooKeeper that came with something else, and nobody who knows Java: an etcd of its own',
      { ...STOCK, servers: ['zookeeper'], skills: [] },
      'etcd-new',
    ],
    [
      'a ZooKeeper and an etcd, and nobody who has run either: the etcd that is there, once somebody can',
      { ...STOCK, servers: ['zookeeper', 'etcd'], skills: [] },
      'etcd-untried',
    ],
    ['both in a Java team: the ZooKeeper', { ...STOCK, servers: ['zookeeper', 'etcd'], skills: ['java'] }, 'zookeeper'],
    [
      'a lock that is wanted within 1 ms although a failure is days of work: etcd, time does not decide',
      { ...STOCK, budgetMs: 1 },
      'etcd',
    ],
    [
      'the same where the write compares the token: Redis with the token, which does no harm',
      { ...STOCK, budgetMs: 1, resource: 'compare-token' },
      'redis-fenced',
    ],
    ['who cannot say what a failure costs finds that out first', { ...STOCK, failure: 'unsure' }, 'think-first'],
    [
      'migrations of a database that must not run side by side: its own session lock',
      { protects: 'job', servers: ['mysql', 'redis'] },
      'session',
    ],
    [
      'a payment that the provider knows again by its number: Redis, the number is what protects',
      { protects: 'work', failure: 'incident', resource: 'drop-duplicates', writesTo: 'outside', servers: ['redis'] },
      'redis',
    ],
  ];

  it.each(cases)('%s', (_name, told, answer) => {
    expect(answerTo(told)).toBe(answer);
  });

  it('gives three reasons for the etcd of the worked example: the cost of a failure, the rate, and who runs it', () => {
    const { reasons } = advise(STOCK);
    expect(reasons.map(({ fork, took }) => `${fork}: ${took}`)).toEqual([
      'must-not-fail: yes',
      'too-fast-for-consensus: no',
      'etcd-at-hand: yes',
    ]);
  });

  it('does not call an etcd that is there one that has to be set up', () => {
    const { title, summary, setUp } = advise({ ...STOCK, skills: [] });
    expect([title, summary, ...setUp.map(({ text }) => text)].join(' ')).not.toMatch(/set up|three small servers/);
    expect(title).toBe('etcd: the one that is there, once somebody can run it');
  });

  it('says of a time that a majority cannot keep that it is not met, and only of such a time', () => {
    const told = ({ risks }: ReturnType<typeof advise>): string => risks.map(({ text }) => text).join(' ');
    const within = 'A free lock is wanted within 1 ms, and servers that agree by majority need 2 ms and more';
    expect(told(advise({ ...STOCK, budgetMs: 1 }))).toContain(within);
    expect(told(advise({ ...STOCK, budgetMs: 2 }))).not.toContain('A free lock is wanted');
    expect(told(advise({ ...STOCK, budgetMs: 49, runsOn: 'several-regions' }))).toContain('need 50 ms and more');
    expect(told(advise({ ...STOCK, budgetMs: 1, resource: 'compare-token' }))).not.toContain('A free lock is wanted');
  });

  it('lets a holder block its process for half the TTL, on ZooKeeper for two fifths, and says for how long', () => {
    for (const [id, { backend }] of Object.entries(ANSWERS)) {
      if (backend === undefined || backend === 'memory') continue;
      const { ttlMs, ridesOutMs } = settingsFor(backend, complete(STOCK).situation);
      expect(ridesOutMs / ttlMs, id).toBeGreaterThanOrEqual(backend === 'zookeeper' ? 0.4 : 0.5);
    }
    const { duties } = advise({ ...STOCK, servers: ['redis'], resource: 'compare-token', freeWithinMs: 10_000 });
    expect(duties.map(({ text }) => text).join(' ')).toContain('block its process for longer than 6 s');
  });

  it('names the control plane as what its etcd is for, and not for locks', () => {
    const { setUp } = advise({ ...STOCK, servers: ['etcd-kubernetes'] });
    expect(setUp.map(({ text }) => text).join(' ')).toContain('control plane is not for this');
  });

  it('warns that dropping duplicates does not stop two orders from taking the last piece', () => {
    const { answer, risks } = advise({ ...STOCK, resource: 'drop-duplicates' });
    expect(answer).toBe('etcd');
    expect(risks.map(({ remedy }) => remedy).join(' ')).toContain('two orders for the last piece');
  });

  it('says how many locks a peak needs, since one lets through one holder after the other', () => {
    const { cost } = advise({ ...STOCK, holdMs: 20 });
    expect(cost.map(({ text }) => text).join(' ')).toContain('the peak of 5,000/s needs 100 different locks');
  });

  it('advises no lock where one item is wanted more often than one line can serve', () => {
    expect(answerTo({ ...STOCK, peakOnOneName: 5_000, holdMs: 20 })).toBe('queue');
    expect(answerTo({ ...STOCK, peakOnOneName: 49, holdMs: 20 })).toBe('etcd');
  });

  it('gives no holder a shorter pause to ride out than was asked for without saying so', () => {
    const { risks } = advise({ ...STOCK, pauseMs: 20_000, freeWithinMs: 30_000 });
    expect(risks[0]?.text).toMatch(/^The longest pause \(20 s\) is more than this lease rides out for certain \(9 s\)/);
  });
});

describe('what contradicts itself', () => {
  const cases: readonly [string, Told][] = [
    ['peak-below-usual', { usualPerSecond: 500, peakPerSecond: 100 }],
    ['one-name-above-peak', { peakPerSecond: 100, peakOnOneName: 200 }],
    ['outside-cannot-check', { writesTo: 'outside', resource: 'compare-token' }],
    ['rare-things-often', { protects: 'leader', peakPerSecond: 500 }],
    ['data-in-control-plane', { writesTo: 'etcd', servers: ['etcd-kubernetes'] }],
    ['data-without-its-server', { writesTo: 'postgres', servers: ['redis'] }],
    ['sleeps-longer-than-others-wait', { pauseMs: 60_000, freeWithinMs: 30_000 }],
  ];

  it.each(cases)('is an error: %s', (id, told) => {
    expect(() => advise(told)).toThrow(ContradictionError);
    expect(contradictionsOf(complete(told).situation).map((one) => one.id)).toEqual([id]);
  });

  it('is tested for each rule', () => {
    expect(cases.map(([id]) => id)).toEqual(CONTRADICTIONS.map(({ id }) => id));
  });

  it('is never what is assumed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUESTIONS.map(({ input }) => input)), situations, (input, situation) => {
        const told = { [input]: situation[input] };
        expect(contradictionsOf(complete(told).situation)).toEqual([]);
      }),
      { seed: 1, numRuns: 60 },
    );
  });
});

describe('the tree', () => {
  const sample = fc.sample(situations, { numRuns: 2_000, seed: 20 });

  it('reaches every answer, and every side of every fork', () => {
    const answers = new Set<string>();
    const sides = new Set<string>();
    for (const situation of sample) {
      const way = wayOf(situation);
      answers.add(way.answer);
      for (const { fork, took } of way.steps) sides.add(`${fork.id} ${took}`);
    }
    expect([...answers].sort()).toEqual(Object.keys(ANSWERS).sort());
    expect([...sides].sort()).toEqual(FORKS.flatMap(({ id }) => [`${id} no`, `${id} yes`]).sort());
  });

  it('has forks of different names', () => {
    const ids = FORKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('tells every answer that is one input away, which input that is, and why', () => {
    const pairs = new Set<string>();
    const wrong: unknown[] = [];
    for (const situation of sample.slice(0, 200)) {
      const here = wayOf(situation);
      for (const turn of turnsOf(situation)) {
        const way = wayOf({ ...situation, [turn.input]: turn.value });
        const { fork, took } = partingOf(here, way);
        pairs.add(`${here.answer} ${turn.answer}`);
        const right =
          way.answer === turn.answer &&
          turn.fork === fork.id &&
          turn.because === fork.because[took] &&
          inputsOf(fork.when).includes(turn.input); // the ways part where the changed input is looked at
        if (!right) wrong.push([situation, turn]);
      }
    }
    expect(wrong).toEqual([]);
    expect(pairs.size).toBeGreaterThan(80);
  });

  it('leaves no neighbour out: two situations that differ in one input and in their answer are told as such', () => {
    let neighbours = 0;
    const missed: unknown[] = [];
    for (const [index, situation] of sample.slice(0, 400).entries()) {
      const here = wayOf(situation).answer;
      const other = sample[index + 1] as Situation;
      const changes = QUESTIONS.map(({ input }) => ({ input, there: { ...situation, [input]: other[input] } })).filter(
        ({ input, there }) =>
          contradictionsOf(there).length === 0 &&
          wayOf(there).answer !== here &&
          // Of lists, those are neighbours that differ in one.
          (input !== 'servers' || distance(there.servers, situation.servers) === 1) &&
          (input !== 'skills' || distance(there.skills, situation.skills) === 1),
      );
      const turns = changes.length === 0 ? [] : turnsOf(situation);
      for (const { input, there } of changes) {
        neighbours++;
        const { answer } = wayOf(there);
        if (!turns.some((turn) => turn.input === input && turn.answer === answer)) missed.push([situation, input]);
      }
    }
    expect(missed).toEqual([]);
    expect(neighbours).toBeGreaterThan(150);
  });

  it('asks for nothing that cannot matter, and for all that does', () => {
    for (const situation of sample.slice(0, 300)) {
      let told: Told = {};
      const asked: Input[] = [];
      for (;;) {
        const input = nextQuestion(told, (known) => complete(known).situation);
        if (input === undefined) break;
        asked.push(input);
        told = { ...told, [input]: situation[input] };
      }
      expect(new Set(asked).size).toBe(asked.length);
      // Whatever the inputs are that nobody has asked for, the answer is the same.
      expect(wayOf({ ...sample[0], ...told } as Situation).answer).toBe(wayOf(situation).answer);
    }
  });
});

function distance(one: readonly string[], other: readonly string[]): number {
  return one.filter((value) => !other.includes(value)).length + other.filter((value) => !one.includes(value)).length;
}

describe('an answer', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const experiments = all.map(({ id }) => id);
  const notes: readonly Note[] = [
    ...Object.values(ANSWERS).flatMap(({ setUp, cost, risks }) => [...setUp, ...cost, ...risks]),
    ...DUTIES,
  ];

  it('refers only to pages and experiments that there are', () => {
    for (const { see } of notes) {
      if (see === undefined) continue;
      const experiment = /^checkup (\S+)$/.exec(see)?.[1];
      if (experiment === undefined) expect(existsSync(root + see), see).toBe(true);
      else expect(experiments, see).toContain(experiment);
    }
  });

  it('has a remedy for each of its risks, and each lock has one at least', () => {
    for (const [id, { backend, risks }] of Object.entries(ANSWERS)) {
      for (const { remedy } of risks) expect(remedy).not.toBe('');
      if (backend !== undefined) expect(risks.length, id).toBeGreaterThan(0);
    }
  });

  it('shows the risk of a paused holder with one remedy, whatever the resource can do', () => {
    for (const situation of fc.sample(situations, { numRuns: 200, seed: 3 })) {
      const { answer, risks } = advise(situation);
      if (!['etcd', 'zookeeper', 'redis', 'sqlite', 'database'].includes(answer)) continue;
      expect(risks.filter(({ text }) => text.startsWith('A holder that is paused')).length).toBe(1);
    }
  });

  it('has conditions that hold somewhere', () => {
    const sample = fc.sample(situations, { numRuns: 500, seed: 4 });
    for (const { when, text } of notes) {
      if (when !== undefined)
        expect(
          sample.some((situation) => holds(when, situation)),
          text,
        ).toBe(true);
    }
  });
});

describe('the numbers of the rules', () => {
  const page = readFileSync(new URL('../../../docs/bench-all.md', import.meta.url), 'utf8');
  const parts = page.split('### ');
  /** Of one process: the pairs a second of a backend and their p50 in ms, as median, least and most of the rounds. */
  const measured = (id: string, part: '64 names' | 'one at a time'): readonly number[][] => {
    const table = parts.find((one) => one.startsWith(`Acquire and release, ${part}`)) ?? '';
    const [, rate = '', p50 = ''] = new RegExp(`^\\| ${id} +\\|([^|]+)\\|([^|]+)\\|`, 'm').exec(table) ?? [];
    return [rate, p50].map((cell) => (cell.match(/[\d.]+/g) ?? []).map(Number));
  };

  it('are what the published figures say of them', () => {
    const [[, slowest = 0] = []] = measured('mysql', '64 names');
    expect(slowest * (2 / 3)).toBeGreaterThan(LIMITS.rowsPerSecond);
    for (const id of ['etcd-3', 'zookeeper-3']) {
      const [[, , fastest = Infinity] = []] = measured(id, '64 names');
      expect(fastest, `${id}, 64 names at once: "less than 1,000/s" is said of it`).toBeLessThan(1_000);
      const [, [median = 0] = []] = measured(id, 'one at a time');
      expect(Math.round(median), `${id}: "5 to 7 ms at the median" is said of it`).toBeGreaterThanOrEqual(5);
      expect(Math.round(median)).toBeLessThanOrEqual(7);
      expect(median / 2).toBeGreaterThan(LIMITS.consensusMs);
    }
  });
});

describe('a page in a browser', () => {
  it('can import the rules and the function: they reach no module of Node, and no package', () => {
    const seen = new Set<string>();
    const open = ['./advice.ts', './advice-text.ts', './tree-text.ts', './told.ts', './situation.ts'].map(
      (file) => new URL(file, import.meta.url).href,
    );
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      const source = readFileSync(fileURLToPath(file), 'utf8');
      for (const [, types, specifier = ''] of source.matchAll(/^(?:import|export) (type )?[^;]*? from '([^']+)'/gm)) {
        if (types !== undefined) continue;
        expect(specifier, `${file} imports ${specifier}`).toMatch(/^\./);
        open.push(new URL(specifier, file).href);
      }
    }
    expect(seen.size).toBeGreaterThan(8);
  });
});
