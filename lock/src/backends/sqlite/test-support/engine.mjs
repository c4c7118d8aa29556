// The SQLite of the running Node for the tests: node:sqlite where it is built in, else libsql. HOLDFAST_SQLITE=libsql
// asks for the latter, so that tests can let two engines meet on one file; HOLDFAST_SQLITE=/path/to/better-sqlite3 for
// that package, which is not installed here since it is compiled where there is no binary of it.
import { createRequire, isBuiltin } from 'node:module';

export async function loadEngine(wanted = process.env.HOLDFAST_SQLITE) {
  if (wanted?.startsWith('/')) {
    const Database = createRequire(import.meta.url)(wanted);
    return { name: 'better-sqlite3', open: (path) => new Database(path) };
  }
  if (isBuiltin('node:sqlite') && wanted !== 'libsql') {
    process.removeAllListeners('warning'); // "experimental", on Node 22
    const { DatabaseSync } = await import('node:sqlite');
    return { name: 'node:sqlite', open: (path, options = {}) => new DatabaseSync(path, options) };
  }
  const { default: Database } = await import('libsql');
  return { name: 'libsql', open: (path) => new Database(path) };
}
