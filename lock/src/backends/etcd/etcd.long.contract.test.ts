import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { doesNotApply, REPEATS, underTest } from './test-support/under-test.ts';

const runner = { afterAll, beforeAll, describe, it };

describeBackend(runner, 'etcd, one server, again and again', {
  start: async () => underTest(await TestEtcd.start()),
  only: REPEATS,
});

describeBackend(runner, 'etcd, three members, every case', {
  start: async () => underTest(await TestEtcd.start({ members: 3 })),
  doesNotApply,
});
