/**
 * Where the servers are: `zk1:2181,zk2:2181,[::1]:2181/chroot`.
 *
 * @module
 */
import { isPath } from './paths.ts';

export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface ConnectString {
  readonly hosts: readonly Host[];
  /** All paths are below it: `/app`, or empty. */
  readonly chroot: string;
}

const DEFAULT_PORT = 2181;

/** Reads what ZooKeeper's own clients call a connect string; anything else is a RangeError. */
export function parseConnectString(text: string): ConnectString {
  const slash = text.indexOf('/');
  const list = slash < 0 ? text : text.slice(0, slash);
  const chroot = slash < 0 ? '' : text.slice(slash).replace(/\/+$/, '');
  const hosts = list.split(',').map((each) => parseHost(each.trim(), text));
  if (chroot !== '' && !isPath(chroot)) throw new RangeError(`${JSON.stringify(chroot)} is no path of ZooKeeper.`);
  return { hosts, chroot };
}

function parseHost(text: string, whole: string): Host {
  const match = /^(?:\[([0-9a-fA-F:.%]+)\]|([^:\s[\]]+))(?::([0-9]{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3]);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new RangeError(
      `${JSON.stringify(text)} in ${JSON.stringify(whole)} is no address of a server. Like this: zk1:2181,zk2:2181/chroot`,
    );
  }
  return { host, port };
}

/** In a random order, so that many clients do not all sit on the first server. */
export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items];
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other] as Item, shuffled[index] as Item];
  }
  return shuffled;
}
