/**
 * The recommended lock as code: whole programs, put together from a part that opens the backend, a part that guards the
 * data, and a part that holds the lock. A test checks the types of all of them against the sources.
 *
 * @module
 */
import type { Say } from '../messages/say.ts';
import type { AnswerId, BackendId } from './answers.ts';
import type { Settings } from './settings.ts';
import type { Situation } from './situation.ts';

export interface Snippet {
  readonly title: string;
  readonly language: 'js' | 'sh';
  readonly text: string;
}

interface Part {
  readonly imports: readonly string[];
  readonly lines: readonly string[];
}

export function codeFor(
  answer: AnswerId,
  backend: BackendId | undefined,
  settings: Settings | undefined,
  situation: Situation,
): readonly Snippet[] {
  if (answer === 'optimistic') return [conditionalWrite(situation)];
  if (backend === undefined || settings === undefined) return [];
  const program: Snippet = {
    title: 'In Node.js',
    language: 'js',
    text: programFor(answer, backend, settings, situation),
  };
  const command = situation.protects === 'job' ? commandFor(backend, settings, situation) : undefined;
  return command === undefined ? [program] : [program, command];
}

/** The same in another language: its title, and what its comments say. */
export function withComments({ title, language, text }: Snippet, say: Say): Snippet {
  const said = text
    .replace(/(?<=^|\s)\/\/ (.+)$/gm, (_, comment: string) => `// ${say(comment)}`)
    .replace(/^\/\*\* (.+) \*\/$/gm, (_, comment: string) => `/** ${say(comment)} */`);
  return { title: say(title), language, text: said };
}

function programFor(answer: AnswerId, backend: BackendId, settings: Settings, situation: Situation): string {
  const sql = sqlOf(situation);
  const opening = OPENINGS[backend](sql, answer);
  const guard = guardFor(backend, situation, sql);
  const [lockImports, holding] = holdingOf(settings, situation, guard?.work ?? plainWork(backend, situation));
  const imports = [
    `import { ${['createLocks', ...lockImports].join(', ')} } from 'holdfast';`,
    ...new Set([...opening.imports, ...(guard?.imports ?? [])].sort(byModule)),
  ];
  const options = backend === 'sql-session' ? '' : `, { ttlMs: ${grouped(settings.ttlMs)} }`;
  return [
    ...imports,
    '',
    ...opening.lines,
    ...(guard?.lines ?? []),
    `const locks = createLocks(backend${options});`,
    '',
    ...holding,
    ...(guard?.work === undefined || guard.needsWork ? ['', ...workStub(backend, situation, guard)] : []),
  ].join('\n');
}

/** Modules of ours first, then the others, each by name. */
function byModule(one: string, other: string): number {
  const key = (line: string): string => (line.match(/from '(.+)'/)?.[1] ?? '').replace(/^(?!holdfast)/, '~');
  return key(one) < key(other) ? -1 : 1;
}

type Sql = 'postgres' | 'mysql';

/** Where a lock row stands: with the data if that is in a database, else in the database that there is. */
function sqlOf({ writesTo, servers }: Situation): Sql {
  if (writesTo === 'postgres' || writesTo === 'mysql') return writesTo;
  return servers.includes('mysql') && !servers.includes('postgres') ? 'mysql' : 'postgres';
}

const PG_POOL: Part = {
  imports: ["import pg from 'pg';"],
  lines: ['const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });'],
};
const MYSQL_POOL: Part = {
  imports: ["import { createPool } from 'mysql2/promise';"],
  lines: ["const pool = createPool(process.env.DATABASE_URL ?? 'mysql://localhost/app');"],
};
const poolOf = (sql: Sql): Part => (sql === 'postgres' ? PG_POOL : MYSQL_POOL);

const IOREDIS = "import { Redis } from 'ioredis';";
const REDIS_CLIENT = "const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost');";

/** What makes `backend`. */
const OPENINGS: Readonly<Record<BackendId, (sql: Sql, answer: AnswerId) => Part>> = {
  memory: () => ({
    imports: ["import { memoryBackend } from 'holdfast/memory';"],
    lines: ['const backend = memoryBackend();'],
  }),
  sqlite: () => ({
    imports: ["import { sqliteBackend } from 'holdfast/sqlite';", "import Database from 'libsql';"],
    lines: [
      '// From Node 22.13 on: new DatabaseSync(path), from node:sqlite.',
      'const backend = sqliteBackend((path) => new Database(path));',
    ],
  }),
  redis: (_sql, answer) => ({
    imports: ["import { fromIoredis, redisBackend } from 'holdfast/redis';", IOREDIS],
    lines: [REDIS_CLIENT, ...(REDIS_BACKENDS[answer] ?? ['const backend = redisBackend(fromIoredis(redis));'])],
  }),
  redlock: () => ({
    imports: [
      "import { fromIoredis } from 'holdfast/redis';",
      "import { redlockBackend } from 'holdfast/redlock';",
      IOREDIS,
    ],
    lines: [
      "const hosts = ['redis-1', 'redis-2', 'redis-3', 'redis-4', 'redis-5'];",
      'const options = { maxRetriesPerRequest: 0 };',
      'const clients = hosts.map((host) => new Redis({ host, ...options }));',
      'const backend = redlockBackend(clients.map(fromIoredis));',
    ],
  }),
  etcd: () => ({
    imports: ["import { etcdBackend } from 'holdfast/etcd';"],
    lines: [
      "const endpoints = ['10.0.0.1:2379', '10.0.0.2:2379', '10.0.0.3:2379'];",
      'const backend = etcdBackend({ endpoints });',
    ],
  }),
  zookeeper: () => ({
    imports: ["import { zookeeperBackend } from 'holdfast/zookeeper';"],
    lines: [
      "const password = process.env.ZOOKEEPER_PASSWORD ?? '';",
      "const backend = zookeeperBackend('zk1:2181,zk2:2181,zk3:2181', {",
      "  digest: { user: 'locks', password },",
      '});',
    ],
  }),
  sql: (sql) => ({
    imports: [`import { ${sql}Backend } from 'holdfast/${sql}';`, ...poolOf(sql).imports],
    lines: [
      ...poolOf(sql).lines,
      `const backend = ${sql}Backend(pool);`,
      'await backend.createTables(); // once, or `holdfast migrate`',
    ],
  }),
  'sql-session': (sql) => ({
    imports: [`import { ${sql}Backend } from 'holdfast/${sql}';`, ...poolOf(sql).imports],
    lines: [...poolOf(sql).lines, `const backend = ${sql}Backend(pool, { session: true }); // leases of 10 s`],
  }),
};

/** Where the backend needs options. */
const REDIS_BACKENDS: { readonly [A in AnswerId]?: readonly string[] } = {
  'redis-replicas': [
    'const backend = redisBackend(fromIoredis(redis), {',
    '  replicas: 1, // no grant before a replica has it',
    "  eviction: 'refuse',",
    '});',
  ],
  'redis-fenced': ["const backend = redisBackend(fromIoredis(redis), { eviction: 'refuse' });"],
};

interface Guard extends Part {
  /** The body under the lock. */
  readonly work: readonly string[];
  readonly needsWork?: boolean;
}

const BACKENDS_WITHOUT_TOKEN: readonly BackendId[] = ['redlock', 'sql-session'];

/** The check where the holder writes; undefined where there is none. */
function guardFor(backend: BackendId, situation: Situation, sql: Sql): Guard | undefined {
  if (situation.resource !== 'compare-token' || BACKENDS_WITHOUT_TOKEN.includes(backend)) return undefined;
  const name = nameOf(situation);
  switch (situation.writesTo) {
    case 'postgres':
    case 'mysql':
      return sqlGuard(situation.writesTo, backend === 'sql' && sql === situation.writesTo, name);
    case 'redis':
      return {
        imports: [
          "import { redisGuard } from 'holdfast/guards/redis';",
          ...(backend === 'redis' ? [] : ["import { fromIoredis } from 'holdfast/redis';", IOREDIS]),
        ],
        lines: [
          ...(backend === 'redis' ? [] : [REDIS_CLIENT]),
          'const guard = redisGuard(fromIoredis(redis), {',
          '  source: backend.tokenSource,',
          '});',
        ],
        work: [
          'const token = lease.fencingToken;',
          `await guard.enter('${name}', token); // before the first read`,
          '// Check and write in one step:',
          `await guard.write('${name}', token, [['DECR', 'pieces:1001']]);`,
        ],
      };
    case 'etcd':
      if (backend !== 'etcd') return undefined;
      return {
        imports: ["import { heldClause } from 'holdfast/etcd';"],
        lines: [],
        work: ['// etcd refuses the write once the lock is gone.', 'await work(heldClause(backend, lease));'],
        needsWork: true,
      };
    case 'service':
      return {
        imports: [],
        lines: [],
        work: [
          "await fetch('http://stock.internal/items/1001', {",
          "  method: 'POST',",
          "  headers: { 'Fencing-Token': String(lease.fencingToken) },",
          '  signal: lease.signal,',
          '}); // there: checkFencingToken of holdfast/guards/http',
        ],
      };
    default:
      return undefined;
  }
}

function sqlGuard(sql: Sql, samePool: boolean, name: string): Guard {
  const lines = [
    ...(samePool ? [] : poolOf(sql).lines),
    `const guard = ${sql}Guard({ source: backend.tokenSource });`,
    'await pool.query(guard.ddl); // once',
  ];
  const imports = [`import { ${sql}Guard } from 'holdfast/guards/${sql}';`, ...(samePool ? [] : poolOf(sql).imports)];
  const take = "const take = 'UPDATE stock SET pieces = pieces - 1 WHERE id = 1001';";
  if (sql === 'postgres') {
    const work = [
      'const client = await pool.connect();',
      'try {',
      "  await client.query('BEGIN');",
      '  // Before the first read:',
      `  await guard.fence(client, '${name}', lease.fencingToken);`,
      `  ${take}`,
      '  await client.query(take); // and what else belongs to it',
      "  await client.query('COMMIT');",
      '} catch (error) {',
      "  await client.query('ROLLBACK'); // a stale token, too, comes here",
      '  throw error;',
      '} finally {',
      '  client.release();',
      '}',
    ];
    return { imports, lines, work };
  }
  const work = [
    'const connection = await pool.getConnection();',
    'try {',
    '  await connection.beginTransaction();',
    '  // Before the first read:',
    `  await guard.fence(connection, '${name}', lease.fencingToken);`,
    `  ${take}`,
    '  await connection.query(take); // and what else belongs to it',
    '  await connection.commit();',
    '} catch (error) {',
    '  await connection.rollback(); // a stale token, too, comes here',
    '  throw error;',
    '} finally {',
    '  connection.release();',
    '}',
  ];
  return { imports, lines, work };
}

function plainWork(backend: BackendId, { resource }: Situation): readonly string[] {
  const token = resource === 'compare-token' && !BACKENDS_WITHOUT_TOKEN.includes(backend);
  return [
    'lease.assertHeld(); // reads the clock: right before you write',
    token ? 'await work(lease.signal, lease.fencingToken);' : 'await work(lease.signal);',
  ];
}

function workStub(backend: BackendId, { resource }: Situation, guard: Guard | undefined): readonly string[] {
  if (guard !== undefined) {
    return [
      '/** Your transaction on the same etcd, which compares this, too. */',
      'async function work({ key, createRevision }) {',
      "  console.log('to compare:', key, createRevision);",
      '}',
    ];
  }
  if (resource === 'compare-token' && !BACKENDS_WITHOUT_TOKEN.includes(backend)) {
    return [
      '/** Your work: hand on the token, and stop when the signal aborts. */',
      'async function work(signal, fencingToken) {',
      '  signal.throwIfAborted();',
      "  console.log('writing under the token', fencingToken);",
      '}',
    ];
  }
  return [
    '/** Your work: stop when the signal aborts. */',
    'async function work(signal) {',
    '  signal.throwIfAborted();',
    "  console.log('alone');",
    '}',
  ];
}

/** How the lock is held: names to import from the lock, and the lines. */
function holdingOf(
  { waitMs }: Settings,
  situation: Situation,
  work: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const lock = `locks.lock('${nameOf(situation)}')`;
  if (situation.protects === 'data') {
    return [
      [],
      [
        `await ${lock}.run(`,
        '  async (lease) => {',
        ...indented(work, 4),
        '  },',
        `  { waitMs: ${grouped(waitMs)} },`,
        ');',
      ],
    ];
  }
  if (situation.protects === 'leader') {
    return [
      ['LockError'],
      [
        "const passing = ['BUSY', 'LOST', 'UNAVAILABLE', 'OUTCOME_UNKNOWN'];",
        'for (;;) {',
        '  try {',
        `    await ${lock}.run(`,
        '      async (lease) => {',
        '        // It leads until this returns; only then the lock is given back.',
        ...indented(work, 8),
        '      },',
        '      { waitMs: 60_000 },',
        '    );',
        '  } catch (error) {',
        '    const passes = error instanceof LockError && passing.includes(error.code);',
        '    if (!passes) throw error;',
        '  }',
        '}',
      ],
    ];
  }
  return [
    [],
    [
      `const lease = await ${lock}.tryAcquire();`,
      'if (lease !== null) {',
      '  // null: somebody else is at it, and there is nothing to do here.',
      '  try {',
      ...indented(work, 4),
      '  } finally {',
      '    await lease.release();',
      '  }',
      '}',
    ],
  ];
}

const indented = (lines: readonly string[], by: number): string[] => lines.map((line) => ' '.repeat(by) + line);

function nameOf({ protects }: Situation): string {
  return { data: 'stock:1001', work: 'rebuild:1001', leader: 'leader:billing', job: 'nightly' }[protects];
}

/** 30000 -> 30_000, as it is written in code. */
function grouped(ms: number): string {
  return String(ms).replace(/\B(?=(\d{3})+$)/g, '_');
}

const URLS: { readonly [B in BackendId]?: (sql: Sql) => string } = {
  sqlite: () => '',
  redis: () => 'redis://localhost',
  redlock: () => 'redlock://redis-1,redis-2,redis-3,redis-4,redis-5',
  etcd: () => 'etcd://10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379',
  zookeeper: () => 'zookeeper://zk1:2181,zk2:2181,zk3:2181',
  sql: (sql) => `${sql}://app@localhost/app`,
};

function commandFor(backend: BackendId, { ttlMs }: Settings, situation: Situation): Snippet | undefined {
  const url = URLS[backend]?.(sqlOf(situation));
  if (url === undefined) return undefined;
  const lines = [
    ...(url === '' ? [] : [`export HOLDFAST_URL=${url}`]),
    ...(backend === 'sql' ? ['holdfast migrate'] : []),
    `holdfast run nightly --wait 0 --ttl ${ttlMs}ms -- ./job.sh`,
  ];
  return { title: 'As a command, for a program in any language', language: 'sh', text: lines.join('\n') };
}

function conditionalWrite(situation: Situation): Snippet {
  const sql = sqlOf(situation);
  const { imports, lines } = poolOf(sql);
  const statement = (place: string): string =>
    `'UPDATE stock SET pieces = pieces - 1 WHERE item = ${place} AND pieces > 0';`;
  const write =
    sql === 'postgres'
      ? [
          'const take =',
          `  ${statement('$1')}`,
          'const { rowCount } = await pool.query(take, [1001]);',
          'const sold = rowCount === 1;',
        ]
      : [
          'const take =',
          `  ${statement('?')}`,
          'const [result] = await pool.query(take, [1001]);',
          "const sold = 'affectedRows' in result && result.affectedRows === 1;",
        ];
  write.push("console.log(sold ? 'sold one' : 'sold out: nothing was changed');");
  return { title: 'In Node.js', language: 'js', text: [...imports, '', ...lines, ...write].join('\n') };
}
