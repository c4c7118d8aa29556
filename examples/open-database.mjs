// How to open an SQLite file: Node's own SQLite where it is there (22.13 and newer), otherwise the package libsql.
const { DatabaseSync } = await import('node:sqlite').catch(() => ({}));
const { default: Libsql } = DatabaseSync ? {} : await import('libsql');

export const openDatabase = (path) => (DatabaseSync ? new DatabaseSync(path) : new Libsql(path));
