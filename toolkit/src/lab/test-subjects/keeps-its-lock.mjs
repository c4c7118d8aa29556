// Its release does nothing, and does not say so. The lock is a folder, which nobody removes.
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export default {
  name: 'keeps-its-lock',
  server: 'none',
  async open({ url }) {
    const folder = fileURLToPath(url.replace(/^sqlite:/, 'file:'));
    return {
      async acquire(name, { waitMs }) {
        const giveUpAt = performance.now() + waitMs;
        for (;;) {
          try {
            mkdirSync(`${folder}/${name}`);
            return { believes: () => true, async release() {} };
          } catch {
            if (performance.now() >= giveUpAt) return null;
            await sleep(50);
          }
        }
      },
      async close() {},
    };
  },
};
