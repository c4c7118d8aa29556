import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { TestEtcd } from './test-support/etcd.ts';
import { ALL_BUT_REPEATS, doesNotApply, underTest } from './test-support/under-test.ts';

describeBackend({ afterAll, beforeAll, describe, it }, 'etcd, one server', {
  start: async () => underTest(await TestEtcd.start()),
  only: ALL_BUT_REPEATS,
  doesNotApply,
});
