/**
 * A process that holds a session lock until it is killed. Arguments: the URL of the database and the name of the lock.
 * Tells its parent when it has it, and ends with it.
 *
 * @module
 */
import { createLocks } from 'holdfast';
import { openMysql, openPostgres } from '../sql/database.ts';

process.once('disconnect', () => process.exit());
const [url = '', name = ''] = process.argv.slice(2);
const database = await (url.startsWith('postgres') ? openPostgres(url) : openMysql(url));
const { session } = await database.open();
await createLocks(session).lock(name).acquire();
process.send?.('held');
