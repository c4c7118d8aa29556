// What a worker process of the contract suite makes its backend with: the built library, as a user has it.
import { etcdBackend } from '../../../../dist/backends/etcd/index.mjs';

export default (options) => etcdBackend(options);
