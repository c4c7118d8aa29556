/**
 * The lock that articles on etcd show: a lease, a transaction that puts one key if it does not exist, and a watch on that
 * key. A timer keeps the lease alive.
 *
 * All waiters watch the same key, so each release wakes all of them, and who is quickest gets the lock. Nothing tells its
 * holder that the lease has run out, and no number goes along to what it writes. It is here to be examined, not to be used.
 *
 * @module
 */
import type { Subject, SubjectHold } from '../subject.ts';
import { EtcdGateway, type Lease } from './etcd-gateway.ts';

const etcdNaive: Subject = {
  name: 'etcd-naive',
  server: 'etcd',
  async open({ url }) {
    const etcd = new EtcdGateway(url);

    function hold(lease: Lease): SubjectHold {
      const keepAlive = setInterval(() => etcd.keepAlive(lease).catch(() => {}), (lease.ttlS * 1000) / 3);
      return {
        believes: () => true,
        async release() {
          clearInterval(keepAlive);
          // What hangs on the lease goes with it.
          await etcd.revoke(lease);
        },
      };
    }

    return {
      async acquire(name, { ttlMs, waitMs }) {
        const giveUpAt = performance.now() + waitMs;
        const lease = await etcd.grant(Math.ceil(ttlMs / 1000));
        // The lease must live while its owner waits.
        const keepAlive = setInterval(() => etcd.keepAlive(lease).catch(() => {}), (lease.ttlS * 1000) / 3);
        try {
          for (;;) {
            const { created, revision } = await etcd.putIfAbsent(name, lease);
            if (created) return hold(lease);
            const leftMs = giveUpAt - performance.now();
            if (leftMs <= 0) break;
            await etcd.untilDeleted(name, revision, leftMs);
          }
        } finally {
          clearInterval(keepAlive);
        }
        await etcd.revoke(lease);
        return null;
      },
      async close() {},
    };
  },
};

export default etcdNaive;
