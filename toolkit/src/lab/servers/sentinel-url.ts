/**
 * `redis-sentinel://host:port,host:port/primary-name`: where the Sentinels are, and which primary to ask them for.
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
  const sentinels = hosts.split(',').map((address) => {
    const [host = '', port = '26379'] = address.split(':');
    return { host, port: Number(port) };
  });
  return { sentinels, name };
}
