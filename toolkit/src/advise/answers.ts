/**
 * The answers at the ends of the tree (`rules.ts`): what is recommended, what it costs, what remains unsafe, and what the
 * business has to do about that. All of it is data; notes with a condition are shown only where that holds.
 *
 * `see` names what shows it: a page of the documentation, or an experiment of `holdfast checkup`.
 *
 * @module
 */
import type { Condition } from './condition.ts';

export interface Note {
  readonly when?: Condition;
  readonly text: string;
  readonly see?: string;
}

export interface Risk extends Note {
  /** What the business does about it. */
  readonly remedy: string;
}

export type BackendId = 'memory' | 'sqlite' | 'redis' | 'redlock' | 'etcd' | 'zookeeper' | 'sql' | 'sql-session';

export interface Answer {
  readonly title: string;
  /** Undefined: no distributed lock is the better answer. */
  readonly backend: BackendId | undefined;
  readonly summary: string;
  /** What to prepare, once. */
  readonly setUp: readonly Note[];
  /** What an acquisition with its release is made of. */
  readonly cost: readonly Note[];
  readonly risks: readonly Risk[];
}

export type AnswerId =
  | 'think-first'
  | 'optimistic'
  | 'queue'
  | 'redesign'
  | 'in-process'
  | 'sqlite'
  | 'redis'
  | 'redis-replicas'
  | 'redis-fenced'
  | 'redlock'
  | 'etcd'
  | 'etcd-untried'
  | 'etcd-new'
  | 'zookeeper'
  | 'database-fenced'
  | 'database'
  | 'session';

const FENCING = 'docs/concepts/fencing.md';
const REDIS = 'docs/backends/redis.md';
const REDLOCK = 'docs/backends/redlock.md';

/** What no lease can prevent, whatever holds it; what helps depends on the resource. */
const PAUSED =
  'A holder that is paused for longer than its TTL goes on when it wakes, and makes the write that it was about to make.';
const PAUSE: readonly Risk[] = [
  {
    when: { input: 'resource', is: ['compare-token'] },
    text: PAUSED,
    remedy: 'Present the fencing token before the first read, as in the code: the late write is then refused.',
    see: 'checkup pause',
  },
  {
    when: { input: 'resource', is: ['drop-duplicates'] },
    text: PAUSED,
    remedy:
      'The same act done twice is dropped by its number. Two different acts that have both read before either wrote (two orders for the last piece) are not: make that write conditional, or let the resource compare the token.',
    see: 'checkup pause',
  },
  {
    when: { input: 'resource', is: ['conditional-write'] },
    text: PAUSED,
    remedy: 'Make every write of the holder conditional, on the version that it has read or on its token.',
    see: 'checkup pause',
  },
  {
    when: { input: 'resource', is: ['nothing'] },
    text: PAUSED,
    remedy:
      'Let the write carry a condition (a version column, WHERE stock > 0), or let the resource compare the fencing token. Until then `lease.assertHeld()` right before the write makes the window small, and a reconciliation has to find what slips through.',
    see: 'checkup pause',
  },
];

const FORGETS: Risk = {
  text: 'A failover, or a restart without persistence, forgets the lock: two hold it until the first one renews, a third of the TTL later at most.',
  remedy:
    'Make the work idempotent, with a number that belongs to the act (the order number), and look once more at the state when you have the lock.',
  see: 'checkup failover',
};

const FORGETS_BUT_FENCED: Risk = {
  text: FORGETS.text,
  remedy:
    'The newer holder has the larger token, so the resource refuses the older one. Nothing more is needed where every write goes through the guard.',
  see: 'checkup failover',
};

const EVICTION: Risk = {
  text: 'A Redis that may evict keys may evict locks.',
  remedy: 'Set `maxmemory-policy noeviction` there, or give the locks a Redis of their own.',
  see: REDIS,
};

const SERVER_CLOCK: Risk = {
  text: "A jump of the server's clock ends leases early.",
  remedy: 'Let its clock be slewed, not stepped (chrony); the guard covers what is left.',
  see: 'checkup clock',
};

const CRASHED: Note = {
  text: 'A killed holder costs the rest of its TTL, during which nobody has the lock.',
  see: 'checkup crash',
};

const REDIS_PAIR: Note = {
  text: 'One script call to get it and one to give it back; what is asked for at the same time travels together.',
  see: REDIS,
};

const DISTANCE: Note = {
  when: { input: 'runsOn', is: ['several-regions'] },
  text: 'The members have to answer each other, so each step costs the way between the regions. Keep a majority in one region, or give each name a home region.',
};

const ONE_HOME: Note = {
  when: { input: 'runsOn', is: ['several-regions'] },
  text: 'Give each name one home region with one server: replicas in other regions get the lock late, or not at all.',
};

const NOT_THE_CONTROL_PLANE: Note = {
  when: { input: 'servers', has: ['etcd-kubernetes'] },
  text: 'The etcd of the Kubernetes control plane is not for this: locks would take its time and its disk from the cluster, and its access rights would be those of the cluster.',
};

const ZOOKEEPER_NOBODY_RUNS: Note = {
  when: { input: 'servers', has: ['zookeeper'] },
  text: 'The ZooKeeper that is there would do as well, once somebody can run it: its heap, its pauses, a server that has to be replaced.',
};

const ETCD_COST: readonly Note[] = [
  {
    text: 'Two transactions, each written to the disks of a majority before it is answered.',
    see: 'docs/backends/etcd.md',
  },
  {
    text: 'A killed holder costs its TTL, and up to twice that where the leader dies meanwhile.',
    see: 'checkup etcd-leader-crash',
  },
  DISTANCE,
];

const ETCD_RISKS: readonly Risk[] = [
  ...PAUSE,
  {
    text: 'etcd before 3.4.31 and 3.5.13 can end a lease that is being renewed, when the disk of a leader hangs.',
    remedy: 'Run a newer one, on disks of its own, and look at the time of its fsync.',
    see: 'checkup etcd-disk-back',
  },
  {
    text: 'Renewals that come late are how a lock is lost here while its holder works.',
    remedy: 'Watch `slackMs` of the event `holdfast:renewal`, and every `holdfast:loss`.',
    see: 'docs/start.md',
  },
];

const SQL_COST: readonly Note[] = [
  { text: 'One call of a function of the database each, and a transaction in it.', see: 'docs/bench-sql.md' },
  CRASHED,
];

const SQL_SET_UP: readonly Note[] = [
  { text: '`holdfast migrate --url …` makes the tables, or `ddl()` in your own migrations.', see: 'docs/cli.md' },
];

const SQL_FAILOVER: Risk = {
  text: 'A standby that is promoted before it has the last grant forgets it, and gives the same token once more.',
  remedy:
    'Replicate synchronously where that matters, and leave `synchronous_commit` and `innodb_flush_log_at_trx_commit` as they are delivered.',
  see: 'docs/backends/postgres.md',
};

export const ANSWERS: Readonly<Record<AnswerId, Answer>> = {
  'think-first': {
    title: 'Not yet: find out first what one failure costs',
    backend: undefined,
    summary:
      'A lock that can fail once a year is right for a notification and wrong for money. Ask the people who would have to clean up: who notices, after how long, and can it be put right? Then come back.',
    setUp: [
      { text: 'Count what one doubled act costs: a refund, a recount, a day of a team, a customer.' },
      { text: 'Look whether the write itself could carry a condition. If it can, the question answers itself.' },
    ],
    cost: [],
    risks: [],
  },
  optimistic: {
    title: 'No lock: one conditional write (optimistic concurrency)',
    backend: undefined,
    summary:
      'The database refuses the second write in the moment in which it is made, so there is nothing that could expire, be forgotten or come late. Who was refused reads again and tries again.',
    setUp: [
      {
        text: 'A version column, or a condition that says what must still be so; and a bound on how often one tries again.',
      },
    ],
    cost: [{ text: 'One statement, and another round for each one that was refused.' }],
    risks: [
      {
        when: { product: ['peakOnOneName', 'holdMs'], atLeast: 1_000 },
        text: 'Many writers of one row refuse each other again and again.',
        remedy: 'Queue them by key, or divide the row (ten rows of a tenth of the stock).',
      },
      {
        text: 'What happens beside the write (a mail, a call of a payment provider) is not covered by its condition.',
        remedy: 'Do it after the write, with the number of the act as idempotency key.',
      },
      {
        text: 'Under contention much work is done in vain.',
        remedy: 'A Redis lock before the write saves that work. It may fail, since the condition is what protects.',
        see: FENCING,
      },
    ],
  },
  queue: {
    title: 'No lock: a queue with one consumer for each key, or smaller keys',
    backend: undefined,
    summary:
      'One lock lets one holder after the other through. When more come than one line can serve, they wait longer and longer, with any lock. Put the acts into a queue by key, where one consumer does them in batches; or divide the key, so that there are many lines.',
    setUp: [
      { text: 'A queue that keeps the order by key: a partition, a stream, a table of tasks.' },
      { text: 'Or divide what is wanted: the stock of the item in ten rows, each with a lock of its own.' },
      { text: 'Or hold shorter: only what must be alone belongs under the lock.' },
    ],
    cost: [{ text: 'Callers learn the outcome later, instead of waiting for the lock.' }],
    risks: [
      {
        text: 'A queue delivers some acts twice.',
        remedy: 'Give each act a number, and let the consumer keep the numbers that it has done.',
      },
      {
        text: 'Two consumers of one key at once, when the queue takes one for dead that only slept.',
        remedy: 'Let the consumer take a lease with a fencing token for its key: once for many acts, not for each.',
        see: FENCING,
      },
    ],
  },
  redesign: {
    title: 'No lock at this rate: divide, queue, or make the write conditional',
    backend: undefined,
    summary:
      'What must not fail needs servers that agree, and they are too slow for this rate; what is fast enough can be given to two, and nothing would refuse the late write. One of the two has to change: the resource, or the rate of locks.',
    setUp: [
      { text: 'Make the write conditional: then no lock is needed at all.' },
      { text: 'Let the resource compare a fencing token: then a fast lock on Redis is enough.' },
      {
        text: 'Divide by key, and give each part one owner who holds a lease for minutes: the rate of locks is then that of changes of owners, and etcd or ZooKeeper can carry it.',
      },
      { text: 'Put the acts into a queue by key, with one consumer.' },
    ],
    cost: [],
    risks: [
      {
        text: 'A fast lock in spite of this is right most of the time, which is why its failure is found late.',
        remedy:
          'If it has to be for now: a reconciliation that runs every few minutes, and an alarm on `holdfast:loss`.',
        see: 'checkup failover',
      },
    ],
  },
  'in-process': {
    title: 'No distributed lock: one in the process',
    backend: 'memory',
    summary:
      'Nothing outside of the process has to agree, so nothing can be cut off, forgotten or late. The memory backend gives the same API, so that another one can take its place when there is a second process.',
    setUp: [{ text: 'Be sure that it stays one process: two during a deployment are two.' }],
    cost: [{ text: 'No round trip at all.', see: 'docs/bench.md' }],
    risks: [
      {
        text: 'A rolling deployment runs the old and the new process at once.',
        remedy: 'Stop the old one first, or use a backend that both share.',
      },
    ],
  },
  sqlite: {
    title: 'The embedded file (SQLite), for the processes of one machine',
    backend: 'sqlite',
    summary:
      'A file that all processes of the machine share: nothing to run, in order, with tokens, and a killed holder frees its locks at once, since the system knows that it is dead.',
    setUp: [
      {
        text: 'One folder on a disk of this machine, private to one user: not /tmp, not NFS.',
        see: 'docs/backends/sqlite.md',
      },
    ],
    cost: [
      { text: 'A short transaction each, without a network.', see: 'docs/backends/sqlite.md' },
      { text: 'A killed holder costs nothing: the lock is free at once.', see: 'checkup crash' },
    ],
    risks: [
      ...PAUSE,
      {
        text: 'Two containers, or two users, without a common folder have two sets of locks.',
        remedy: 'Share the folder as a volume; on a second machine, take another backend.',
        see: 'docs/backends/sqlite.md',
      },
    ],
  },
  redis: {
    title: 'Redis: one server, or a primary with replicas',
    backend: 'redis',
    summary:
      'The fastest of the locks, with a watchdog, a line of waiters and a signal when it is lost. In a failover it can be given to two: right where that costs little.',
    setUp: [
      {
        when: { not: { input: 'servers', has: ['redis', 'redis-replicas'] } },
        text: 'There is no Redis yet: one server is enough to begin with.',
      },
      { text: 'AOF, so that a restart keeps the locks; `maxmemory-policy noeviction`.', see: REDIS },
      ONE_HOME,
      NOT_THE_CONTROL_PLANE,
    ],
    cost: [REDIS_PAIR, CRASHED],
    risks: [FORGETS, ...PAUSE, EVICTION, SERVER_CLOCK],
  },
  'redis-replicas': {
    title: 'Redis, and each lock waits for a replica',
    backend: 'redis',
    summary:
      'As with Redis alone, but a lock is given only when a replica has it too. That makes a lock that a failover forgets rarer; it does not exclude it.',
    setUp: [
      { text: 'AOF, and `maxmemory-policy noeviction`, on the primary and on each replica.', see: REDIS },
      ONE_HOME,
      NOT_THE_CONTROL_PLANE,
    ],
    cost: [
      REDIS_PAIR,
      {
        text: 'And the way to a replica and back, for each grant. Without a replica that answers, no lock is given.',
        see: REDIS,
      },
      CRASHED,
    ],
    risks: [
      {
        text: 'The replica that is promoted may be another one than that which has the lock: then two hold it until the first one renews.',
        remedy: 'Look once more at the state when you have the lock, and let a reconciliation find the rest.',
        see: 'checkup replica-preferred',
      },
      ...PAUSE,
      EVICTION,
      SERVER_CLOCK,
    ],
  },
  'redis-fenced': {
    title: 'Redis, with the fencing token checked where you write',
    backend: 'redis',
    summary:
      'The lock is fast and may be given to two; the token makes that harmless, since the resource refuses the older holder. What protects is the guard, not the lock.',
    setUp: [
      {
        text: 'The check at the resource comes first: before the holder reads, not only before it writes.',
        see: FENCING,
      },
      {
        text: 'AOF, and `maxmemory-policy noeviction`.',
        see: REDIS,
      },
      ONE_HOME,
      NOT_THE_CONTROL_PLANE,
    ],
    cost: [
      REDIS_PAIR,
      { text: 'One comparison more at the resource, in the transaction that writes anyway.', see: FENCING },
      CRASHED,
    ],
    risks: [
      FORGETS_BUT_FENCED,
      ...PAUSE,
      {
        text: 'A write that goes round the guard is not protected: a script by hand, an older version, a mail.',
        remedy: 'Let the guard stand in the only way to the data; what leaves it needs an idempotency key of its own.',
        see: FENCING,
      },
      {
        text: 'If the counter of the tokens is lost and the clock of the new primary is behind by more than the time between the two grants, a token can repeat.',
        remedy: 'Keep the clocks of primary and replicas together, to far less than a failover takes.',
        see: REDIS,
      },
      EVICTION,
    ],
  },
  redlock: {
    title: 'Redlock, on independent Redis servers',
    backend: 'redlock',
    summary:
      'A majority of servers that do not replicate from each other gives the lock, so that one of them may die. It has no fencing token: right where one failure costs a notification more, and not where it costs an incident.',
    setUp: [
      { text: 'An odd number of servers, without replication, on machines that do not fail together.', see: REDLOCK },
      NOT_THE_CONTROL_PLANE,
    ],
    cost: [
      { text: 'All servers are asked at once; the slowest of the majority decides.', see: REDLOCK },
      { text: 'Waiters of several processes ask again and again, in no order.', see: REDLOCK },
      CRASHED,
    ],
    risks: [
      {
        text: 'A server that comes back empty, or whose clock jumps, can make a second majority.',
        remedy:
          'AOF with `appendfsync always`, or keep a server away for longer than the longest TTL before it starts again; let clocks be slewed. And make the work idempotent.',
        see: 'checkup redlock-restart',
      },
      {
        text: PAUSED,
        remedy: 'There is no token that could be compared: make the work idempotent, or take a backend with tokens.',
        see: FENCING,
      },
    ],
  },
  etcd: {
    title: 'etcd: each lock is agreed on by a majority',
    backend: 'etcd',
    summary:
      'A lease, a key, and waiters in line, each written to the disks of a majority before it is answered: no failover forgets the lock. Its token is the revision, which the resource can compare.',
    setUp: [
      {
        text: 'Three or five members, each with a disk of its own, and a user for the prefix of the locks.',
        see: 'docs/backends/etcd.md',
      },
      NOT_THE_CONTROL_PLANE,
    ],
    cost: ETCD_COST,
    risks: ETCD_RISKS,
  },
  'etcd-untried': {
    title: 'etcd: the one that is there, once somebody can run it',
    backend: 'etcd',
    summary:
      'There is an etcd of its own, and nobody who has run one. What one failure costs justifies learning it before a lock depends on it. No failover forgets the lock, and its token is the revision, which the resource can compare.',
    setUp: [
      {
        text: 'Try before it matters how a member is replaced and a backup restored, and who is called when it stands still.',
      },
      {
        text: 'Practise the death of a member: `holdfast checkup etcd-leader`.',
        see: 'checkup etcd-leader',
      },
      {
        text: 'Three or five members, each with a disk of its own, and a user for the prefix of the locks.',
        see: 'docs/backends/etcd.md',
      },
      ZOOKEEPER_NOBODY_RUNS,
      NOT_THE_CONTROL_PLANE,
    ],
    cost: ETCD_COST,
    risks: ETCD_RISKS,
  },
  'etcd-new': {
    title: 'etcd, a cluster of its own that you set up for this',
    backend: 'etcd',
    summary:
      'What one failure costs justifies three small servers that agree by majority. No failover forgets the lock, and its token is the revision, which the resource can compare.',
    setUp: [
      ZOOKEEPER_NOBODY_RUNS,
      NOT_THE_CONTROL_PLANE,
      {
        text: 'Three members, each with a disk of its own; then practise the death of one: `holdfast checkup etcd-leader`.',
      },
    ],
    cost: [{ text: 'Three servers to run, with backups, certificates and upgrades.' }, ...ETCD_COST],
    risks: ETCD_RISKS,
  },
  zookeeper: {
    title: 'ZooKeeper: each lock is agreed on by a majority',
    backend: 'zookeeper',
    summary:
      'A node in line for each contender, held by a session, on an ensemble that agrees by majority: no failover forgets the lock, a release wakes one waiter, and the token is the number of the transaction.',
    setUp: [
      {
        text: 'Three or five servers; `digest`, since otherwise anybody who reaches them can remove a lock.',
        see: 'docs/backends/zookeeper.md',
      },
      {
        when: { not: { input: 'servers', has: ['zookeeper'] } },
        text: 'There is none yet: try before it matters how a server is replaced.',
      },
      NOT_THE_CONTROL_PLANE,
    ],
    cost: [
      {
        text: 'Three requests in two round trips, each change written by a majority.',
        see: 'docs/backends/zookeeper.md',
      },
      {
        text: 'A killed holder costs its session, and up to twice that where the leader dies meanwhile.',
        see: 'checkup zk-session-crash',
      },
      DISTANCE,
    ],
    risks: [
      ...PAUSE,
      {
        text: 'The numbers in the names of nodes start again when their parent was removed.',
        remedy: 'As token take `lease.fencingToken`, which is the czxid, and not the number in the name.',
        see: 'docs/backends/zookeeper.md',
      },
    ],
  },
  'database-fenced': {
    title: 'A lock row in the database of the data, with the guard in the same transaction',
    backend: 'sql',
    summary:
      'The lock is a row with an expiry in the server’s time, and the guard stands in the transaction that does the work: a holder that has been overtaken is refused, and its transaction rolls back. No server is added.',
    setUp: [
      ...SQL_SET_UP,
      { text: 'The table of the guard: `holdfast migrate --guard`, or `guard.ddl`.', see: FENCING },
    ],
    cost: SQL_COST,
    risks: [
      ...PAUSE,
      SQL_FAILOVER,
      {
        text: 'A holder that is stopped inside its transaction keeps the next one waiting at the guard.',
        remedy: 'Give the database a limit: `idle_in_transaction_session_timeout`, `idle_transaction_timeout`.',
        see: FENCING,
      },
    ],
  },
  database: {
    title: 'A lock row in the database that you have',
    backend: 'sql',
    summary:
      'A row with an expiry in the server’s time, a queue and a token: it frees itself when its holder dies, and no server is added. It is slower than Redis.',
    setUp: [...SQL_SET_UP, NOT_THE_CONTROL_PLANE],
    cost: SQL_COST,
    risks: [...PAUSE, SQL_FAILOVER],
  },
  session: {
    title: 'A session lock of the database that you have',
    backend: 'sql-session',
    summary:
      'An advisory lock (PostgreSQL) or GET_LOCK (MySQL, MariaDB) on a connection of its own: no tables, which a migration could not use before it has made them, and a killed holder frees it at once.',
    setUp: [
      {
        text: 'A direct connection: a pooler in between, or a node of a Galera cluster, is refused.',
        see: 'checkup pooler',
      },
      NOT_THE_CONTROL_PLANE,
    ],
    cost: [
      {
        text: 'A lock and an unlock on one connection, which is kept while the lock is held.',
        see: 'docs/bench-sql.md',
      },
      { text: 'A killed holder costs nothing: its connection ends, and the lock with it.', see: 'checkup crash' },
    ],
    risks: [
      {
        text: 'There is no token, so nothing can refuse a holder that was paused for longer than its session was left to it.',
        remedy: 'Write the job so that it may run twice: one transaction, or a row that says what is done.',
        see: 'checkup pause',
      },
      {
        text: 'The scope is one database (PostgreSQL) or one server (MySQL): a failover ends it.',
        remedy: 'The holder is told by `lease.signal`; let the job stop there.',
        see: 'docs/decisions/0007-session-locks-end-with-silence.md',
      },
    ],
  },
};

/** What is asked of the business whatever the answer is, as long as there is a lock. */
export const DUTIES: readonly Note[] = [
  {
    when: {
      all: [
        { input: 'failure', is: ['harmless', 'repairable'] },
        { input: 'resource', is: ['nothing'] },
      ],
    },
    text: 'Make the work idempotent, with a number that belongs to the act: a lock that is lost once is then a repeated attempt.',
  },
  {
    when: { input: 'failure', is: ['repairable'] },
    text: 'Keep the reconciliation that finds a failure, and look at what it finds: it is the measure of whether this choice still holds.',
  },
  {
    when: {
      all: [
        { input: 'failure', is: ['incident'] },
        { input: 'protects', is: ['data'] },
      ],
    },
    text: 'Reconcile all the same (movements against stock, entries against balance): the lock is one safeguard, and not the only one.',
  },
  {
    when: { input: 'writesTo', is: ['outside'] },
    text: 'Send the number of the act as idempotency key with each request that leaves: what has left cannot be refused afterwards.',
    see: FENCING,
  },
  {
    text: 'Pass `lease.signal` to what can stop, and raise an alarm on each event `holdfast:loss`.',
    see: 'docs/concepts/leases.md',
  },
];
