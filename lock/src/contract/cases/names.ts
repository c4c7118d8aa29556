import assert from 'node:assert/strict';
import type { ContractCase } from '../subject.ts';

const DISTINCT = [
  ['Foo', 'foo'],
  ['a', 'a '],
  ['\u00e9', 'e\u0301'],
  ['job', 'job:1'],
  ['job/1', 'job/1/2'],
  ['{}', '{'],
  ['{a}b', '{a}c'],
  ['a{', 'a}'],
  [':', '::'],
  ['/', '//'],
  ['../../x', '../x'],
  ["it's", 'it"s'],
  ['100%', '100%%'],
  ['line\nbreak', 'line break'],
  ['🔒', '🔓'],
  ['x'.repeat(512), 'x'.repeat(511)],
] as const;

export const nameCases: readonly ContractCase[] = [
  {
    name: 'equal names are one lock and different names are two, whatever they look like',
    async run(t) {
      const [one, two] = [await t.locks(), await t.locks()];
      for (const pair of DISTINCT) {
        const leases = [];
        for (const name of pair) {
          leases.push(await one.lock(name).acquire());
          assert.equal(await two.lock(name).tryAcquire(), null, `${JSON.stringify(name)} excludes itself`);
        }
        for (const lease of leases) await lease.release();
      }
    },
  },
  {
    name: 'a name that cannot work is refused at once, and says why',
    async run(t) {
      const locks = await t.locks();
      for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(513), 'x'.repeat(1_000_000)]) {
        assert.throws(() => locks.lock(name), /name of a lock/);
      }
    },
  },
];
