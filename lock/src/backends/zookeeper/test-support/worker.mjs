/** Makes the backend of a worker process of the contract suite: it runs what is built. */
import { zookeeperBackend } from '../../../../dist/backends/zookeeper/index.mjs';

export default ({ servers }) => zookeeperBackend(servers);
