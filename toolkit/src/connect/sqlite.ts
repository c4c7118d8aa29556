/**
 * The embedded file, through the SQLite that is built into Node, or through libsql where none is.
 *
 * @module
 */
import { LockError } from 'holdfast';
import { type Database, type Opener, sqliteBackend } from 'holdfast/sqlite';
import type { SqliteAddress } from './address.ts';
import type { Connection, ConnectOptions } from './connection.ts';

export async function openSqlite(
  { directory, description }: SqliteAddress,
  { underGuard = false }: ConnectOptions,
): Promise<Connection> {
  const backend = sqliteBackend(await opener(), {
    ...(directory === undefined ? {} : { directory }),
    liveness: underGuard ? 'after-ttl' : 'at-once',
  });
  return { description, backend, close: () => backend.close() };
}

/** Opens files with the SQLite that this Node has, or with libsql. */
export async function opener(): Promise<Opener> {
  const builtIn = withoutItsWarning(() => process.getBuiltinModule?.('node:sqlite')) as
    | { readonly DatabaseSync: new (path: string) => Database }
    | undefined;
  if (builtIn !== undefined) return (path) => new builtIn.DatabaseSync(path);
  try {
    const { default: Libsql } = await import('libsql');
    return (path) => new Libsql(path) as unknown as Database;
  } catch (cause) {
    throw new LockError(
      'CONFIG',
      `This Node ${process.versions.node} has no SQLite built in, and libsql has no build for ${process.platform} ${process.arch}. ` +
        'Node 22.13 or newer has one; a redis:// URL needs none.',
      { cause },
    );
  }
}

/** Node says on loading that its SQLite is experimental, as it was when that version came out. Nothing else is silenced. */
function withoutItsWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    emitWarning.call(process, warning as string, ...rest);
  }) as typeof process.emitWarning;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
