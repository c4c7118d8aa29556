import { createPool } from 'mariadb';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { mysqlUnderTest } from './test-support/under-test.ts';

describeBackend({ afterAll, beforeAll, describe, it }, 'mysql, with mariadb', {
  start: () =>
    mysqlUnderTest((port) => {
      const account = { user: 'root', database: 'holdfast' };
      const pool = createPool({ host: '127.0.0.1', port, ...account, connectTimeout: 5_000 });
      return { pool, end: () => pool.end() };
    }),
});
