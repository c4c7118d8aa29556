/**
 * The decision tree, as data. Read it from the top: each fork is a statement that is so or is not, with the reason why that
 * matters; at the end of each way stands an answer (`answers.ts`). To change the advice, change this file: nothing else
 * decides.
 *
 * @module
 */
import type { AnswerId } from './answers.ts';
import type { Condition } from './condition.ts';
import { count } from './format.ts';

/** The numbers that the forks compare with, each with where it comes from. */
export const LIMITS = {
  /**
   * Locks a second, over all processes, up to which servers that agree by majority are taken to be at ease. A convention
   * of the field, with a margin to the 10,000 and more that are said of etcd. We have not seen it: one process with 64
   * names at once stays below 1,000 with three servers beside it on two processors (docs/bench-all.md).
   */
  consensusPerSecond: 5_000,
  /**
   * Lease rows a second that one database is asked for, beside its other work: less than two thirds of the slowest round
   * of MariaDB with 64 names at once, which flushes each commit (docs/bench-all.md).
   */
  rowsPerSecond: 500,
  /** Less than half of what one process reaches with the embedded file (docs/backends/sqlite.md). */
  filePerSecond: 1_000,
  /**
   * A majority must write to its disks before it answers; in less than this many ms that is not to be counted on. With
   * three servers on one machine half of a pair takes 2.5 ms and more at the median (docs/bench-all.md).
   */
  consensusMs: 2,
  /** The same where the answer has to cross from region to region. */
  consensusAcrossRegionsMs: 50,
  /** Waiting for a replica is a round trip more. */
  replicaMs: 2,
  /** A lock that is wanted for all of every second has a line that only grows. */
  busyMsPerSecond: 1_000,
} as const;

export interface Fork {
  readonly id: string;
  /** What is so on the way `yes`. */
  readonly says: string;
  readonly when: Condition;
  readonly yes: Branch;
  readonly no: Branch;
  /** Whether `no` is among the reasons that are shown, too; `yes` always is. */
  readonly tellsNo?: true;
  /** Why the answer lies that way: shown as the reason of an answer, and of what would change it. */
  readonly because: { readonly yes: string; readonly no: string };
}

export type Branch = Fork | AnswerId;

const sqlServers = { input: 'servers', has: ['postgres', 'mysql'] } as const;

/** A failure costs little, or cannot do harm: what is there and easy to run. */
const CHEAP: Fork = {
  id: 'internal-job',
  says: 'it is for an internal job, and there is a database',
  when: { all: [{ input: 'protects', is: ['job'] }, sqlServers] },
  because: {
    yes: 'A job runs now and then, so the speed of a database is enough, and no server is added.',
    no: 'It is no rare internal job that the database could serve in passing.',
  },
  yes: {
    id: 'job-order',
    tellsNo: true,
    says: 'waiters must come in order',
    when: { input: 'order', is: ['needed'] },
    because: {
      yes: 'A session lock of a database knows no order among those who wait; a lease row has a queue.',
      no: 'Without an order to keep, a session lock is enough: no tables, and a killed holder frees it at once.',
    },
    yes: 'database',
    no: 'session',
  },
  no: {
    id: 'wait-for-replica',
    says: 'the Redis has replicas, a failure means a repair, and there is time for another round trip',
    when: {
      all: [
        { input: 'servers', has: ['redis-replicas'] },
        { input: 'failure', is: ['repairable', 'incident'] },
        { not: { input: 'budgetMs', below: LIMITS.replicaMs } },
      ],
    },
    because: {
      yes: 'Replication is asynchronous: waiting until a replica has the lock makes a lock that a failover forgets rarer, for one round trip.',
      no: 'Waiting for a replica would buy nothing here: there is none, or no time for it, or a failure costs less than the wait.',
    },
    yes: 'redis-replicas',
    no: {
      id: 'has-redis',
      says: 'there is a Redis',
      when: { input: 'servers', has: ['redis', 'redis-replicas'] },
      because: {
        yes: 'Where a failure costs little, the fastest lock on a server that you run anyway is the best bargain.',
        no: 'There is no ordinary Redis at hand.',
      },
      yes: 'redis',
      no: {
        id: 'independent-redis',
        says: 'there are several independent Redis, and waiters need no order',
        when: {
          all: [
            { input: 'servers', has: ['redis-independent'] },
            { input: 'order', is: ['any'] },
          ],
        },
        because: {
          yes: 'A majority of independent servers outlives the death of one of them without a failover that could forget the lock.',
          no: 'There are no independent Redis, or waiters must come in order, which Redlock cannot promise.',
        },
        yes: 'redlock',
        no: {
          id: 'has-database',
          says: `there is a database, and the peak is at most ${count(LIMITS.rowsPerSecond)}/s`,
          when: { all: [sqlServers, { not: { input: 'peakPerSecond', above: LIMITS.rowsPerSecond } }] },
          because: {
            yes: 'At this rate a row in the database that you have does it, and no server is added.',
            no: 'There is no database, or the rate is more than it should carry beside its own work.',
          },
          yes: 'database',
          no: {
            id: 'idle-consensus',
            tellsNo: true,
            says: `there is an etcd or a ZooKeeper, and the peak is at most ${count(LIMITS.consensusPerSecond)}/s`,
            when: {
              all: [
                { input: 'servers', has: ['etcd', 'zookeeper'] },
                { not: { input: 'peakPerSecond', above: LIMITS.consensusPerSecond } },
              ],
            },
            because: {
              yes: 'It is there, it is safer than what is asked for, and it can carry this rate.',
              no: 'No server that is there fits; one Redis is the least to add.',
            },
            yes: {
              id: 'idle-etcd',
              says: 'it is etcd',
              when: { input: 'servers', has: ['etcd'] },
              because: {
                yes: 'Of the two it is the one with the smaller client side.',
                no: 'What there is, is ZooKeeper.',
              },
              yes: 'etcd',
              no: 'zookeeper',
            },
            no: 'redis',
          },
        },
      },
    },
  },
};

/** What a majority cannot do in time: its disks come first, and from region to region the way. */
export const NO_TIME_FOR_A_MAJORITY: Condition = {
  any: [
    { input: 'budgetMs', below: LIMITS.consensusMs },
    {
      all: [
        { input: 'runsOn', is: ['several-regions'] },
        { input: 'budgetMs', below: LIMITS.consensusAcrossRegionsMs },
      ],
    },
  ],
};

/** Two holders at once must not do harm. */
const STRICT: Fork = {
  id: 'too-fast-for-consensus',
  tellsNo: true,
  says: `the peak is above ${count(LIMITS.consensusPerSecond)}/s`,
  when: { input: 'peakPerSecond', above: LIMITS.consensusPerSecond },
  because: {
    yes: 'Servers that agree by majority write each lock to several disks, over the network between them: that is too slow for this rate.',
    no: 'A lock that must not be forgotten needs servers that agree by majority, or the transaction of the data itself; this rate leaves the time for it.',
  },
  yes: {
    id: 'fast-token',
    tellsNo: true,
    says: 'the resource compares fencing tokens',
    when: { input: 'resource', is: ['compare-token'] },
    because: {
      yes: 'When the resource refuses the late write, a fast lock that can be given to two does no harm.',
      no: 'A fast lock can be given to two, and nothing would refuse the late write: then a lock is not the answer at this rate.',
    },
    yes: 'redis-fenced',
    no: 'redesign',
  },
  no: {
    id: 'token-and-no-time',
    says: 'a lock must be had faster than a majority can answer, and the resource compares fencing tokens',
    when: { all: [{ input: 'resource', is: ['compare-token'] }, NO_TIME_FOR_A_MAJORITY] },
    because: {
      yes: 'When the resource refuses the late write, a lock that can be given to two does no harm, so the time may decide.',
      no: 'The time that a lock takes decides nothing here: it is enough, or nothing but the lock prevents the damage.',
    },
    yes: 'redis-fenced',
    no: {
      id: 'etcd-at-hand',
      says: 'there is an etcd of its own, and the team has run one',
      when: {
        all: [
          { input: 'servers', has: ['etcd'] },
          { input: 'skills', has: ['etcd'] },
        ],
      },
      because: {
        yes: 'A grant is on the disks of a majority before it is given, so the death of a server does not forget it; and the team knows how to run it.',
        no: 'There is no etcd of its own, or nobody who has run one: a consensus cluster that nobody can run is the next incident.',
      },
      yes: 'etcd',
      no: {
        id: 'zookeeper-at-hand',
        says: 'there is a ZooKeeper, and the team runs Java services',
        when: {
          all: [
            { input: 'servers', has: ['zookeeper'] },
            { input: 'skills', has: ['java'] },
          ],
        },
        because: {
          yes: 'A grant is on the disks of a majority here, too; the ensemble is there, and who runs Java services can run it.',
          no: 'There is no ZooKeeper, or nobody who has run Java services: that it is there does not mean that somebody can mend it.',
        },
        yes: 'zookeeper',
        no: {
          id: 'lock-beside-data',
          tellsNo: true,
          says: `the data is in a SQL database which compares tokens, and the peak is at most ${count(LIMITS.rowsPerSecond)}/s`,
          when: {
            all: [
              { input: 'writesTo', is: ['postgres', 'mysql'] },
              { input: 'resource', is: ['compare-token'] },
              { not: { input: 'peakPerSecond', above: LIMITS.rowsPerSecond } },
            ],
          },
          because: {
            yes: 'The check stands in the very transaction that writes, and no server is added.',
            no: 'The data is in no SQL database, or nothing compares tokens there, or the rate is more than lock rows should add to its own work.',
          },
          yes: 'database-fenced',
          no: {
            id: 'token-and-redis',
            says: 'the resource compares fencing tokens, and there is a Redis',
            when: {
              all: [
                { input: 'resource', is: ['compare-token'] },
                { input: 'servers', has: ['redis', 'redis-replicas'] },
              ],
            },
            because: {
              yes: 'When the resource refuses the late write, a lock that can be given to two does no harm: a consensus cluster set up for this would add servers, and little safety.',
              no: 'Nothing refuses a late write, or there is no Redis: the lock itself must not be forgotten.',
            },
            yes: 'redis-fenced',
            no: {
              id: 'java-team',
              tellsNo: true,
              says: 'the team runs Java services',
              when: { input: 'skills', has: ['java'] },
              because: {
                yes: 'Who runs Java services can run ZooKeeper, whose heap and pauses are then nothing new.',
                no: 'Nobody here has run Java services, so of the two consensus servers the single binary is less to learn.',
              },
              yes: 'zookeeper',
              no: {
                id: 'etcd-nobody-runs',
                says: 'there is an etcd of its own all the same',
                when: { input: 'servers', has: ['etcd'] },
                because: {
                  yes: 'To learn to run the etcd that is there is less than to set up another one.',
                  no: 'There is no etcd that could carry locks.',
                },
                yes: 'etcd-untried',
                no: 'etcd-new',
              },
            },
          },
        },
      },
    },
  },
};

export const TREE: Branch = {
  id: 'cost-unknown',
  says: 'nobody can say what a failure costs',
  when: { input: 'failure', is: ['unsure'] },
  because: {
    yes: 'The cost of one failure decides everything else, so it comes first.',
    no: 'The cost of a failure is known, so a choice can be made.',
  },
  yes: 'think-first',
  no: {
    id: 'conditional-write',
    says: 'one conditional write decides',
    when: {
      all: [
        { input: 'resource', is: ['conditional-write'] },
        { input: 'protects', is: ['data', 'work', 'job'] },
      ],
    },
    because: {
      yes: 'Where the database itself refuses the second write, it is safe without any lock.',
      no: 'What is done is more than one conditional write, so that something has to keep others out meanwhile.',
    },
    yes: 'optimistic',
    no: {
      id: 'one-process',
      says: 'it is one process',
      when: { input: 'runsOn', is: ['one-process'] },
      because: {
        yes: 'Inside one process a lock without any server excludes just as well, and its holder cannot be cut off from it.',
        no: 'Several processes need something outside of them that they agree on.',
      },
      yes: 'in-process',
      no: {
        id: 'one-line',
        says: 'one lock is wanted for more time than there is',
        when: {
          all: [
            { input: 'protects', is: ['data'] },
            { product: ['peakOnOneName', 'holdMs'], atLeast: LIMITS.busyMsPerSecond },
          ],
        },
        because: {
          yes: 'So many holders a second, each for so long, are more than a second of work for one line: no lock can make that fit.',
          no: 'The work under one lock fits into the time.',
        },
        yes: 'queue',
        no: {
          id: 'one-machine',
          says: `all processes are on one machine, and the peak is at most ${count(LIMITS.filePerSecond)}/s`,
          when: {
            all: [
              { input: 'runsOn', is: ['one-machine'] },
              { not: { input: 'peakPerSecond', above: LIMITS.filePerSecond } },
            ],
          },
          because: {
            yes: 'On one machine a file does it: no server, no network that could fail, and the system itself says when a holder is dead.',
            no: 'The processes are on several machines, or want the lock more often than one file can give it.',
          },
          yes: 'sqlite',
          no: {
            id: 'must-not-fail',
            tellsNo: true,
            says: 'one failure is an incident, and the resource does not drop duplicates by itself',
            when: {
              all: [
                { input: 'failure', is: ['incident'] },
                {
                  not: {
                    all: [
                      { input: 'resource', is: ['drop-duplicates'] },
                      { input: 'protects', is: ['work', 'job'] },
                    ],
                  },
                },
              ],
            },
            because: {
              yes: 'One failure means days of work, and nothing behind the lock makes up for it.',
              no: 'One failure costs little or is made up for behind the lock: it saves work, and need not be perfect.',
            },
            yes: STRICT,
            no: CHEAP,
          },
        },
      },
    },
  },
};

export interface Contradiction {
  readonly id: string;
  readonly when: Condition;
  /** What does not go together, and what to say instead. */
  readonly says: string;
}

/** What cannot all be so. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  {
    id: 'peak-below-usual',
    when: { input: 'usualPerSecond', aboveInput: 'peakPerSecond' },
    says: 'The peak is below the usual rate. The peak is the most that is asked for, over all locks.',
  },
  {
    id: 'one-name-above-peak',
    when: { input: 'peakOnOneName', aboveInput: 'peakPerSecond' },
    says: 'The peak on one lock is above the peak over all locks. It is a part of it.',
  },
  {
    id: 'outside-cannot-check',
    when: {
      all: [
        { input: 'writesTo', is: ['outside'] },
        { input: 'resource', is: ['compare-token', 'conditional-write'] },
      ],
    },
    says:
      'Something outside neither compares our fencing tokens nor takes our conditions. If it knows a request again by an ' +
      'idempotency key, say drop-duplicates; if a service of yours stands before it and compares, say that the holder writes to a service.',
  },
  {
    id: 'rare-things-often',
    when: {
      all: [
        { input: 'protects', is: ['leader', 'job'] },
        { input: 'peakPerSecond', above: 10 },
      ],
    },
    says: 'A leader or an internal job does not change more than ten times a second. If it is that often, it is work or data.',
  },
  {
    id: 'data-in-control-plane',
    when: {
      all: [
        { input: 'writesTo', is: ['etcd'] },
        { input: 'servers', has: ['etcd-kubernetes'] },
        { not: { input: 'servers', has: ['etcd'] } },
      ],
    },
    says:
      'The holder writes to etcd, and the only etcd is that of the Kubernetes control plane, which is not for data of applications. ' +
      'If there is another one, name etcd among the servers too.',
  },
  {
    id: 'data-without-its-server',
    when: {
      any: [
        { all: [{ input: 'writesTo', is: ['postgres'] }, { not: { input: 'servers', has: ['postgres'] } }] },
        { all: [{ input: 'writesTo', is: ['mysql'] }, { not: { input: 'servers', has: ['mysql'] } }] },
        { all: [{ input: 'writesTo', is: ['etcd'] }, { not: { input: 'servers', has: ['etcd', 'etcd-kubernetes'] } }] },
        {
          all: [
            { input: 'writesTo', is: ['redis'] },
            { not: { input: 'servers', has: ['redis', 'redis-replicas', 'redis-independent'] } },
          ],
        },
      ],
    },
    says: 'The holder writes to a server that is not among the servers that you have. Name it there.',
  },
  {
    id: 'sleeps-longer-than-others-wait',
    when: {
      all: [
        { input: 'failure', is: ['incident'] },
        { input: 'protects', is: ['data', 'leader'] },
        { input: 'resource', is: ['nothing'] },
        { input: 'runsOn', is: ['one-machine', 'one-region', 'several-regions'] },
        { input: 'pauseMs', aboveInput: 'freeWithinMs' },
      ],
    },
    says:
      'A holder may be paused for longer than others are ready to wait, and the resource takes what comes. Then two work at ' +
      'once, and no lock can prevent it. Let the resource compare a fencing token, or let others wait longer.',
  },
];
