// The lock of etcd3: a lease of its own for each acquisition, kept alive. It does not wait, so who waits asks again.
import { Etcd3, EtcdLockFailedError } from 'etcd3';
import { poll } from './helpers/polling.mjs';

export default {
  name: 'npm:etcd3',
  server: 'etcd',
  async open({ url }) {
    const hosts = url.replace(/^etcd:\/\//, '').split(',');
    const client = new Etcd3({ hosts: hosts.map((host) => `http://${host}`) });
    return {
      acquire: (name, { ttlMs, waitMs }) =>
        poll(waitMs, async () => {
          const lock = client.lock(name).ttl(Math.max(1, Math.ceil(ttlMs / 1_000)));
          try {
            await lock.acquire();
          } catch (error) {
            if (error instanceof EtcdLockFailedError) return null;
            throw error;
          }
          let released = false;
          return {
            believes: () => !released, // it tells nobody of a loss
            async release() {
              released = true;
              await lock.release();
            },
          };
        }),
      async close() {
        client.close();
      },
    };
  },
};
