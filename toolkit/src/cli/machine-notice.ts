/**
 * The one thing that everybody must know who uses the embedded file: it excludes processes of this machine and nobody
 * else. Said once to each user, on first use.
 *
 * @module
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { warn } from './stderr.ts';

const NOTICE =
  'Without --url a lock excludes the processes of this user on this machine, and of no other machine. ' +
  'For several machines name a server, such as --url redis://host:6379. (This is said once.)';

export function tellOnce(): void {
  try {
    const { XDG_STATE_HOME } = process.env;
    const stateHome =
      XDG_STATE_HOME !== undefined && path.isAbsolute(XDG_STATE_HOME)
        ? XDG_STATE_HOME
        : path.join(homedir(), '.local', 'state');
    const folder = path.join(stateHome, 'holdfast');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(path.join(folder, 'told-one-machine'), 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return; // told already
    // It cannot be remembered here; then it is rather said too often.
  }
  warn(NOTICE);
}
