// Leaves a child process behind, as a lock does that talks to its server through a helper.
import { spawn } from 'node:child_process';

export default {
  name: 'starts-a-process',
  server: 'none',
  async open() {
    spawn('sleep', ['1000'], { stdio: 'ignore' });
    let held = false;
    return {
      async acquire() {
        if (held) return null;
        held = true;
        return { believes: () => held, async release() {} };
      },
      async close() {},
    };
  },
};
