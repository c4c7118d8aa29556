import { etcdSystem } from './etcd.ts';
import type { System } from './system.ts';
import { zookeeperSystem } from './zookeeper.ts';

export function openSystem(kind: System['kind'], address: string): System {
  return kind === 'etcd' ? etcdSystem(address) : zookeeperSystem(address);
}
