/**
 * A session lock as it is often written by hand: a connection out of the pool, and pg_try_advisory_lock on it.
 *
 * Whether the server still has the session is asked by nobody, and nothing is set that would end a session whose holder
 * is gone without a word. It is here to be examined, not to be used.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from '../subject.ts';
import { openPool } from './open-postgres.ts';

const TCP_LIMITS: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15000',
};

export const pgAdvisory: Subject = advisory('pg-advisory', (url) => url);

/** The same with limits for TCP, those that our own sessions have: what is left on a server without an idle limit. */
export const pgAdvisoryTcp: Subject = advisory('pg-advisory+tcp', (url) => {
  const withLimits = new URL(url);
  const limits = Object.entries(TCP_LIMITS).map(([name, value]) => `-c ${name}=${value}`);
  withLimits.searchParams.set('options', limits.join(' '));
  return withLimits.href;
});

function advisory(name: string, urlOf: (url: string) => string): Subject {
  return {
    name,
    server: 'postgres',
    async open({ url }) {
      const pool = openPool(urlOf(url));
      return {
        async acquire(name, { waitMs }) {
          const giveUpAt = performance.now() + waitMs;
          for (;;) {
            const client = await pool.connect();
            client.on('error', () => {}); // as the pool's own: it would end the process
            const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtext($1)) AS got', [name]);
            if (rows[0].got) {
              return {
                believes: () => true,
                async release() {
                  await client.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
                  client.release();
                },
              };
            }
            client.release();
            if (performance.now() >= giveUpAt) return null;
            await sleep(50);
          }
        },
        close: () => pool.end(),
      };
    },
  };
}
