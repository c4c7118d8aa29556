import pg from 'pg';

/** A pool with the defaults that come with `pg`, as most programs have it. */
export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url });
  // Without a listener an idle connection that the server ends would end the process.
  pool.on('error', () => {});
  return pool;
}
