/**
 * Where the locks are: a URL, read into its parts. A password goes in here and comes out only towards the server: the
 * description that messages print has none.
 *
 * @module
 */

/** A URL that we cannot use. The message never repeats the URL, which may hold a password. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** A file of this user on this machine. */
export interface SqliteAddress {
  readonly kind: 'sqlite';
  /** Where the file lies; undefined for the place of this user. */
  readonly directory: string | undefined;
  readonly description: string;
}

export interface RedisAddress {
  readonly kind: 'redis';
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  readonly description: string;
}

/** Redis servers that know nothing of each other, of which a majority holds a lock; all with one user and password. */
export interface RedlockAddress {
  readonly kind: 'redlock';
  readonly servers: readonly RedisAddress[];
  readonly password: string | undefined;
  readonly description: string;
}

/** One etcd, by as many of its members as one knows. */
export interface EtcdAddress {
  readonly kind: 'etcd';
  /** Each as `host:port`. */
  readonly members: readonly string[];
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** What goes before the names of the locks. */
  readonly keyPrefix: string;
  readonly description: string;
}

export interface ZooKeeperAddress {
  readonly kind: 'zookeeper';
  /** As ZooKeeper's own clients take it: `zk1:2181,zk2:2181/chroot`. */
  readonly servers: string;
  readonly digest: { readonly user: string; readonly password: string } | undefined;
  readonly tls: boolean;
  readonly password: string | undefined;
  readonly description: string;
}

/** How a connection is kept from others: not at all, from listeners only, or from whoever is not the server as well. */
export type TlsMode = 'off' | 'encrypted' | 'verified-ca' | 'verified-identity';

/** A database, as its driver takes the URL. */
export interface SqlAddress {
  readonly kind: 'postgres' | 'mysql';
  readonly url: string;
  /** What the URL of a MySQL says of it; `pg` reads that out of the URL by itself. */
  readonly tls: TlsMode;
  readonly password: string | undefined;
  readonly description: string;
}

export type Address = SqliteAddress | RedisAddress | RedlockAddress | EtcdAddress | ZooKeeperAddress | SqlAddress;

/** What a user may write, for messages and help. */
export const ADDRESS_FORMS: readonly string[] = [
  'sqlite:                            this user on this machine (the default)',
  'sqlite:///var/lib/jobs             the same, in a folder of your choice',
  'redis://user:password@host:6379/0  a Redis or Valkey server',
  'rediss://…                         the same over TLS',
  'redlock://host,host,host:6379/0    a majority of independent Redis servers',
  'redlocks://…                       the same over TLS',
  'etcd://host:2379,host:2379/prefix  an etcd, by some of its members',
  'etcds://…                          the same over TLS',
  'zookeeper://host:2181,host:2181/chroot  a ZooKeeper ensemble',
  'zookeepers://…                     the same over TLS',
  'postgres://user:password@host/db   PostgreSQL; `holdfast migrate` first',
  'mysql://user:password@host/db      MySQL or MariaDB; the same; ?ssl-mode=…',
];

const SCHEMES =
  'sqlite:, redis://, rediss://, redlock://, redlocks://, etcd://, etcds://, zookeeper://, zookeepers://, postgres:// or mysql://';

/** Reads a URL; without one it is the embedded file of this user. */
export function parseAddress(url: string | undefined): Address {
  if (url === undefined || url === '') return sqliteAddress('sqlite:');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  switch (scheme) {
    case 'sqlite':
      return sqliteAddress(url);
    case 'redis':
    case 'rediss':
      return redisAddress(scheme, url);
    case 'redlock':
    case 'redlocks':
      return redlockAddress(scheme, url);
    case 'etcd':
    case 'etcds':
      return etcdAddress(scheme, url);
    case 'zookeeper':
    case 'zookeepers':
      return zookeeperAddress(scheme, url);
    case 'postgres':
    case 'postgresql':
      return sqlAddress('postgres', scheme, url);
    case 'mysql':
    case 'mariadb':
      return sqlAddress('mysql', scheme, url);
    default:
      throw new AddressError(
        `The URL of the locks must start with ${SCHEMES}, and ${scheme === undefined ? 'has no scheme' : `starts with ${scheme}:`}.`,
      );
  }
}

function sqliteAddress(url: string): SqliteAddress {
  const rest = url.slice('sqlite:'.length);
  if (rest === '') return { kind: 'sqlite', directory: undefined, description: 'the embedded file of this user' };
  if (!rest.startsWith('///') || rest.length === 3) {
    throw new AddressError(
      'A sqlite: URL is either just "sqlite:" or has three slashes and an absolute folder, as sqlite:///var/lib/jobs.',
    );
  }
  const directory = decoded(rest.slice(2), 'folder');
  return { kind: 'sqlite', directory, description: `the embedded file in ${directory}` };
}

function redisAddress(scheme: 'redis' | 'rediss', url: string): RedisAddress {
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    throw new AddressError(
      `The ${scheme}:// URL cannot be read. It looks like ${scheme}://user:password@host:6379/0, with special characters in the password percent-encoded.`,
    );
  }
  if (parts.hostname === '')
    throw new AddressError(`The ${scheme}:// URL names no host. It looks like ${scheme}://host:6379/0.`);
  if (parts.search !== '' || parts.hash !== '') {
    throw new AddressError(`A ${scheme}:// URL takes no parameters: nothing may follow the database number.`);
  }
  if (!/^(\/\d*)?$/.test(parts.pathname)) {
    throw new AddressError(
      `What follows the host of a ${scheme}:// URL must be the number of a database, as in ${scheme}://host:6379/0.`,
    );
  }
  const host = parts.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = parts.port === '' ? 6379 : Number(parts.port);
  const username = parts.username === '' ? undefined : decoded(parts.username, 'user name');
  const password = parts.password === '' ? undefined : decoded(parts.password, 'password');
  const database = Number(parts.pathname.slice(1));
  const user =
    username === undefined && password === undefined ? '' : `${parts.username}${password === undefined ? '' : ':***'}@`;
  return {
    kind: 'redis',
    host,
    port,
    tls: scheme === 'rediss',
    username,
    password,
    database,
    description: `${scheme}://${user}${parts.hostname}:${port}/${database}`,
  };
}

/** Each host is read as that of one server; all have the user, the password and the database in common. */
function redlockAddress(scheme: 'redlock' | 'redlocks', url: string): RedlockAddress {
  const [, userInfo = '', hosts = '', path = ''] = /^[^:]+:\/\/([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?$/.exec(url) ?? [];
  const list = hosts.split(',');
  if (list.length < 3) {
    throw new AddressError(
      `The ${scheme}:// URL must name three servers or more, as ${scheme}://user:password@host:6379,host:6379,host:6379/0, with special characters in the password percent-encoded.`,
    );
  }
  const single = scheme === 'redlocks' ? 'rediss' : 'redis';
  const servers = list.map((host) => redisAddress(single, `${single}://${userInfo}${host}${path}`));
  const shown = servers.map(({ description }) => description.replace(/^[^:]+:\/\/(.*@)?/, '').replace(/\/\d+$/, ''));
  const [first] = servers as [RedisAddress];
  const user = /^[^:]+:\/\/(.*@)?/.exec(first.description)?.[1] ?? '';
  return {
    kind: 'redlock',
    servers,
    password: first.password,
    description: `${scheme}://${user}${shown.join(',')}/${first.database}`,
  };
}

/** Read by hand, since `URL` knows one host only. */
function etcdAddress(scheme: 'etcd' | 'etcds', url: string): EtcdAddress {
  const form = `It looks like ${scheme}://user:password@host:2379,host:2379, with special characters in the password percent-encoded.`;
  const [, userInfo, hosts = '', path = ''] = /^[^:]+:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?$/.exec(url) ?? [];
  const members = hosts.split(',');
  if (!members.every((member) => /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]+)(:\d{1,5})?$/.test(member))) {
    throw new AddressError(`The ${scheme}:// URL cannot be read. ${form}`);
  }
  const [, user, secret] = /^([^:]*)(?::(.*))?$/.exec(userInfo ?? '') ?? [];
  if (userInfo !== undefined && (!user || secret === undefined)) {
    throw new AddressError(`The ${scheme}:// URL needs both a user and a password, or neither. ${form}`);
  }
  const shown = user ? `${user}:***@` : '';
  return {
    kind: 'etcd',
    members,
    tls: scheme === 'etcds',
    username: user ? decoded(user, 'user name') : undefined,
    password: secret === undefined ? undefined : decoded(secret, 'password'),
    keyPrefix: decoded(path, 'prefix'),
    description: `${scheme}://${shown}${hosts}${path === '' ? '' : `/${path}`}`,
  };
}

function zookeeperAddress(scheme: 'zookeeper' | 'zookeepers', url: string): ZooKeeperAddress {
  // It may name several servers, which the URLs of the web cannot.
  const match = /^\/\/(?:([^@/:]*)(?::([^@/]*))?@)?([^@/]+(?:\/[^@?#]*)?)$/.exec(url.slice(scheme.length + 1));
  const [, user, password, servers] = match ?? [];
  if (servers === undefined) {
    throw new AddressError(
      `The ${scheme}:// URL cannot be read. It looks like ${scheme}://user:password@zk1:2181,zk2:2181/chroot, with special characters in the password percent-encoded.`,
    );
  }
  if (user !== undefined && (user === '' || password === undefined)) {
    throw new AddressError(`A ${scheme}:// URL has both a user and a password, or neither.`);
  }
  const secret = password === undefined ? undefined : decoded(password, 'password');
  return {
    kind: 'zookeeper',
    servers: decoded(servers, 'chroot'),
    digest:
      user === undefined || secret === undefined ? undefined : { user: decoded(user, 'user name'), password: secret },
    tls: scheme === 'zookeepers',
    password: secret,
    description: `${scheme}://${user === undefined ? '' : `${user}:***@`}${servers}`,
  };
}

function sqlAddress(kind: SqlAddress['kind'], scheme: string, url: string): SqlAddress {
  const form = `${scheme}://user:password@host/database`;
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    throw new AddressError(
      `The ${scheme}:// URL cannot be read. It looks like ${form}, with special characters in the password percent-encoded.`,
    );
  }
  const database = parts.pathname.slice(1);
  if (parts.hostname === '' || database === '') {
    throw new AddressError(`The ${scheme}:// URL must name a host and a database. It looks like ${form}.`);
  }
  const password = parts.password === '' ? undefined : decoded(parts.password, 'password');
  const user = parts.username === '' ? '' : `${parts.username}${password === undefined ? '' : ':***'}@`;
  parts.protocol = `${kind}:`;
  let tls: TlsMode = 'off';
  if (kind === 'mysql') {
    tls = tlsOfMysql(scheme, parts.searchParams);
    parts.search = '';
  }
  return { kind, url: parts.href, tls, password, description: `${scheme}://${user}${parts.host}/${database}` };
}

/** As the clients of MySQL and of PostgreSQL call them. */
const TLS_MODES: ReadonlyMap<string, TlsMode> = new Map([
  ['disabled', 'off'],
  ['disable', 'off'],
  ['required', 'encrypted'],
  ['require', 'encrypted'],
  ['verify-ca', 'verified-ca'],
  ['verify-identity', 'verified-identity'],
  ['verify-full', 'verified-identity'],
]);

/** `ssl` says only whether. */
const TLS_SWITCH: ReadonlyMap<string, TlsMode> = new Map([
  ['true', 'verified-identity'],
  ['1', 'verified-identity'],
  ['false', 'off'],
  ['0', 'off'],
]);

/** A parameter that nobody reads could be the one that was to protect the connection, so there is none. */
function tlsOfMysql(scheme: string, parameters: URLSearchParams): TlsMode {
  let said: TlsMode | undefined;
  for (const [name, value] of parameters) {
    if (name !== 'ssl-mode' && name !== 'sslmode' && name !== 'ssl') {
      throw new AddressError(
        `A ${scheme}:// URL takes the parameter ssl-mode (or sslmode, or ssl=true), and none called ${JSON.stringify(name)}.`,
      );
    }
    const mode = (name === 'ssl' ? TLS_SWITCH : TLS_MODES).get(value.toLowerCase().replaceAll('_', '-'));
    if (mode === undefined) {
      const values = name === 'ssl' ? 'true or false' : 'disabled, required, verify-ca or verify-identity';
      throw new AddressError(
        `The parameter ${name} of a ${scheme}:// URL must be ${values}, and is ${JSON.stringify(value)}.`,
      );
    }
    if (said !== undefined && said !== mode) {
      throw new AddressError(`The ${scheme}:// URL says two different things about TLS; the second is ${name}.`);
    }
    said = mode;
  }
  return said ?? 'off';
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressError(`The ${what} in the URL is not percent-encoded properly: a plain % is written %25.`);
  }
}

const SHORTEST_SECRET = 4;

/** Takes the password out of a text that somebody else wrote, such as an error of a client. */
export function redact(text: string, address: Address): string {
  if (address.kind === 'sqlite' || address.password === undefined) return text;
  // A password of a letter or two is no secret, and without those letters the text would be none either.
  if (address.password.length < SHORTEST_SECRET) return text;
  const forms = [address.password, encodeURIComponent(address.password), encodeURI(address.password)];
  return forms.reduce((shown, form) => shown.replaceAll(form, '***'), text);
}
