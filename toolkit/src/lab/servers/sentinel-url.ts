/**
 * `redis-sentinel://host:port,host:port/primary-name`: where the Sentinels are, and which primary to ask them for. And
 * `redis-cluster://host:port,host:port`: some nodes of a cluster.
 *
 * @module
 */

export interface SentinelAddress {
  readonly sentinels: { host: string; port: number }[];
  /** What Sentinel calls the name of the primary it watches. */
  readonly name: string;
}

export function sentinelUrl(ports: readonly number[], name: string): string {
  return `redis-sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${name}`;
}

/** Undefined for every other URL. */
export function sentinelsIn(url: string): SentinelAddress | undefined {
  const [, hosts, name] = /^redis-sentinel:\/\/([^/]+)\/(.+)$/.exec(url) ?? [];
  if (hosts === undefined || name === undefined) return undefined;
  return { sentinels: addressesIn(hosts, '26379'), name };
}

export function clusterUrl(ports: readonly number[]): string {
  return `redis-cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
}

/** Undefined for every other URL. */
export function nodesIn(url: string): { host: string; port: number }[] | undefined {
  const [, hosts] = /^redis-cluster:\/\/([^/]+)\/?$/.exec(url) ?? [];
  return hosts === undefined ? undefined : addressesIn(hosts, '6379');
}

function addressesIn(hosts: string, usualPort: string): { host: string; port: number }[] {
  return hosts.split(',').map((address) => {
    const [host = '', port = usualPort] = address.split(':');
    return { host, port: Number(port) };
  });
}
