// proper-lockfile: a folder beside a file of one machine, whose time of change is renewed. Who waits asks every 50 ms.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import lockfile from 'proper-lockfile';

const EVERY_MS = 50;

/** It takes no less. */
const SHORTEST_MS = 5_000;

export default {
  name: 'npm:proper-lockfile',
  server: 'none',
  async open({ url }) {
    const folder = `${new URL(url).pathname}-proper-lockfile`;
    mkdirSync(folder, { recursive: true });
    return {
      async acquire(name, { ttlMs, waitMs }) {
        const file = path.join(folder, encodeURIComponent(name));
        writeFileSync(file, '', { flag: 'a' });
        let compromised = false;
        try {
          const release = await lockfile.lock(file, {
            stale: Math.max(SHORTEST_MS, ttlMs),
            retries: { retries: Math.ceil(waitMs / EVERY_MS), minTimeout: EVERY_MS, maxTimeout: EVERY_MS },
            onCompromised: () => {
              compromised = true; // otherwise it throws where nobody can catch it
            },
          });
          return { believes: () => !compromised, release };
        } catch (error) {
          if (error.code === 'ELOCKED') return null;
          throw error;
        }
      },
      async close() {},
    };
  },
};
