// Makes the backend of a process of the contract suite, from the built package.
import pg from 'pg';
import { postgresBackend } from '../../../../dist/backends/postgres/index.mjs';

export default function create({ url, options }) {
  return postgresBackend(new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5_000 }), options);
}
