/**
 * What the tests and the full check-up start, where Debian and Homebrew have it, and what would be missing without it.
 * `brew` is left out where macOS brings the tool itself or has nothing like it. `file` says where a tool stands that is
 * no program: a library for Java or Python.
 */
const tools = [
  { name: 'redis-server', apt: 'redis-server', brew: 'redis', use: 'the Redis backend, and every experiment on Redis' },
  { name: 'redis-sentinel', apt: 'redis-sentinel', brew: 'redis', use: 'failover experiments' },
  {
    name: 'postgres',
    apt: 'postgresql',
    brew: 'postgresql@17',
    use: 'the PostgreSQL backend, its guard and experiments',
  },
  { name: 'mariadbd', apt: 'mariadb-server', brew: 'mariadb', use: 'the MySQL backend, its guard and experiments' },
  {
    name: 'pgbouncer',
    apt: 'pgbouncer',
    brew: 'pgbouncer',
    use: 'proof that a lease row is safe behind a pooler',
  },
  { name: 'redis-cli', apt: 'redis-tools', brew: 'redis', use: 'looking into a Redis by hand' },
  { name: 'etcd', apt: 'etcd-server', brew: 'etcd', use: 'the etcd backend, and every experiment on etcd' },
  {
    name: 'etcdctl',
    apt: 'etcd-client',
    brew: 'etcd',
    use: 'the proof that `etcdctl lock` and ours exclude each other',
  },
  { name: 'strace', apt: 'strace', platforms: ['linux'], use: 'faults inside a system call' },
  { name: 'java', apt: 'default-jre-headless', platforms: ['linux'], use: 'the ZooKeeper server' },
  {
    name: 'zookeeper.jar',
    apt: 'libzookeeper-java',
    file: '/usr/share/java/zookeeper.jar',
    platforms: ['linux'],
    use: 'the ZooKeeper backend: the server, without a service that starts by itself',
  },
  {
    name: 'javac',
    apt: 'default-jdk-headless',
    platforms: ['linux'],
    use: 'Curator beside us on one lock',
  },
  {
    name: 'curator.jar',
    apt: 'libcurator-recipes-java',
    file: '/usr/share/java/curator-recipes.jar',
    platforms: ['linux'],
    use: 'Curator beside us on one lock',
  },
  {
    name: 'kazoo',
    apt: 'python3-kazoo',
    file: '/usr/lib/python3/dist-packages/kazoo/client.py',
    platforms: ['linux'],
    use: 'showing that kazoo locks otherwise',
  },
  {
    name: 'redis-py',
    apt: 'python3-redis',
    file: '/usr/lib/python3/dist-packages/redis/client.py',
    platforms: ['linux'],
    use: 'its lock beside ours, and the example of a lock in Python that the check-up examines',
  },
  { name: 'openssl', apt: 'openssl', use: 'certificates for the tests of TLS' },
  { name: 'chromium', apt: 'chromium', platforms: ['linux'], use: 'opening the report page as a reader does' },
  { name: 'ps', apt: 'procps', use: 'proof that a process was really stopped or killed' },
];

/** The tools that make sense on this system. */
export function toolsFor(platform) {
  return tools.filter((tool) => !tool.platforms || tool.platforms.includes(platform));
}

/**
 * What has to be run to get the missing tools, or why it cannot be done from here.
 *
 * Gives `{ commands }`, each an argument list that needs root where `asRoot` says so, or `{ problem }` with its remedy.
 */
export function planInstall({ platform, missing, manager, isRoot, hasSudo }) {
  const packages = (key) => [...new Set(missing.map((tool) => tool[key]).filter(Boolean))];
  const names = missing.map((tool) => tool.name).join(', ');

  if (platform === 'linux' && manager === 'apt-get') {
    if (!isRoot && !hasSudo) {
      return {
        problem: `Installing needs root, and this is an ordinary user without sudo.\nAs root: apt-get install -y --no-install-recommends ${packages('apt').join(' ')}`,
      };
    }
    return {
      asRoot: true,
      packages: packages('apt'),
      commands: [['apt-get', 'install', '-y', '--no-install-recommends', ...packages('apt')]],
    };
  }
  if (platform === 'darwin') {
    const wanted = packages('brew');
    if (wanted.length === 0) return { problem: `${names} should come with macOS. Is /bin on the PATH?` };
    if (manager !== 'brew') {
      return { problem: `Homebrew is not installed (https://brew.sh). With it: brew install ${wanted.join(' ')}` };
    }
    return { asRoot: false, packages: wanted, commands: [['brew', 'install', ...wanted]] };
  }
  return {
    problem: `This system has neither apt-get nor Homebrew, so please install ${names} with its own package manager.\nAnything on the PATH is found.`,
  };
}
