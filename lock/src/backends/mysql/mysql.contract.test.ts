import { createPool } from 'mysql2';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { urlOf } from './test-support/mysql-server.ts';
import { mysqlUnderTest } from './test-support/under-test.ts';

// The pool with callbacks: the one with promises is what it wraps.
describeBackend({ afterAll, beforeAll, describe, it }, 'mysql, with mysql2', {
  doesNotApply: {
    '10,000 acquire and release leave no keys, listeners or memory':
      'the same statements, whichever driver sends them: it is run with mariadb, by npm run test:more',
  },
  start: () =>
    mysqlUnderTest((port) => {
      const pool = createPool({ uri: urlOf(port), connectTimeout: 5_000 });
      return { pool, end: () => pool.promise().end() };
    }),
});
