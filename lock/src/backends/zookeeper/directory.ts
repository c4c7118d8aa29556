/**
 * The nodes above the contenders: containers, which the server removes some time after their last child has gone.
 *
 * @module
 */
import type { Instant } from '../../core/clock.ts';
import type { ZooKeeperClient } from './client/client.ts';
import { isCode } from './client/errors.ts';
import { type Acl, CreateMode } from './client/protocol.ts';

/** Makes a path and what is missing above it. Rejects with NO_NODE if the chroot itself is missing. */
export async function ensureDirectory(
  client: ZooKeeperClient,
  path: string,
  acl: readonly Acl[],
  deadline: Instant,
): Promise<void> {
  try {
    await client.create(path, { mode: CreateMode.container, data: Buffer.alloc(0), acl }, { deadline });
  } catch (error) {
    if (isCode(error, 'NODE_EXISTS')) return;
    if (!isCode(error, 'NO_NODE')) throw error;
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (parent === '') throw error;
    await ensureDirectory(client, parent, acl, deadline);
    await ensureDirectory(client, path, acl, deadline);
  }
}
