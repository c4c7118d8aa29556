import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeBackend } from '../../contract/index.ts';
import { etcdBackend } from './index.ts';
import { TestEtcd } from './test-support/etcd.ts';

const NO_TRANSFER =
  'a token is the revision at which a key was created, so that the next owner needs a key of its own: release and acquire';

for (const members of [1, 3]) {
  describeBackend(
    { afterAll, beforeAll, describe, it },
    members === 1 ? 'etcd, one server' : `etcd, ${members} members`,
    {
      async start() {
        const etcd = await TestEtcd.start({ members });
        const { endpoints } = etcd;
        const all = Array.from({ length: members }, (_, index) => index);
        return {
          create: () => etcdBackend({ endpoints }),
          worker: { module: new URL('./test-support/backend.mjs', import.meta.url), data: { endpoints } },
          server: {
            restart: () => etcd.restart(),
            pause: () => {
              for (const index of all) etcd.signal(index, 'SIGSTOP');
            },
            resume: () => {
              for (const index of all) etcd.signal(index, 'SIGCONT');
            },
          },
          network: {
            port: etcd.port,
            createThrough: (port) => etcdBackend({ endpoints: [`127.0.0.1:${port}`] }),
          },
          residue: () => etcd.residue(),
          stop: () => etcd.stop(),
        };
      },
      doesNotApply: {
        'a transfer gives the lock to the next of the same process, with a token of its own, while nobody waits':
          NO_TRANSFER,
        'a transfer lets those go first who wait in the queue': NO_TRANSFER,
      },
    },
  );
}
