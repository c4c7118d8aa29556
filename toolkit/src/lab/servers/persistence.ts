/**
 * How a Redis server keeps what it has over a restart, as its settings.
 *
 * @module
 */

/** Nothing; a snapshot now and then; a log of all writes, brought to the disk every second; or before each reply. */
export type Persistence = 'none' | 'rdb' | 'aof-everysec' | 'aof-always';

export const persistenceSettings: Readonly<Record<Persistence, readonly string[]>> = {
  none: [],
  rdb: ['--save', '3600', '1'],
  'aof-everysec': ['--appendonly', 'yes', '--appendfsync', 'everysec'],
  'aof-always': ['--appendonly', 'yes', '--appendfsync', 'always'],
};

/** Where the log of writes grows, in the folder of the server. */
export const LOG_OF_WRITES = 'appendonlydir/appendonly.aof.1.incr.aof';
