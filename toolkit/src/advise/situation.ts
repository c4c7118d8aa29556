/**
 * What the advisor is told: the inputs, each as a question with its possible answers. A form in a page, the questions on a
 * terminal and the options of the command are all made from this list.
 *
 * Nothing in this folder but `interview.ts` and `bench-file.ts` touches a terminal or a file, so that a page in a browser
 * can use the rest.
 *
 * @module
 */

/** Everything the advice depends on. Rates are of acquire and release together, over all processes. */
export interface Situation {
  readonly protects: 'data' | 'work' | 'leader' | 'job';
  /** What it costs if two hold the lock at once. */
  readonly failure: 'incident' | 'repairable' | 'harmless' | 'unsure';
  /** What the place that is written to can do against a write that comes late, or twice. */
  readonly resource: 'nothing' | 'compare-token' | 'conditional-write' | 'drop-duplicates';
  readonly writesTo: 'postgres' | 'mysql' | 'redis' | 'etcd' | 'service' | 'other' | 'outside';
  readonly runsOn: 'one-process' | 'one-machine' | 'one-region' | 'several-regions';
  readonly servers: readonly Server[];
  readonly skills: readonly Skill[];
  readonly order: 'any' | 'needed';
  readonly usualPerSecond: number;
  readonly peakPerSecond: number;
  /** The most that one name is asked for, of the peak. */
  readonly peakOnOneName: number;
  readonly holdMs: number;
  /** The longest that a holder may be paused: garbage collection, a frozen machine, a suspended laptop. */
  readonly pauseMs: number;
  /** After the death of a holder others go on within this time. */
  readonly freeWithinMs: number;
  /** The longest that taking a free lock may take. */
  readonly budgetMs: number;
}

export type Server =
  | 'redis'
  | 'redis-replicas'
  | 'redis-independent'
  | 'etcd'
  | 'etcd-kubernetes'
  | 'zookeeper'
  | 'postgres'
  | 'mysql';
export type Skill = 'etcd' | 'java';

export type Input = keyof Situation;
export type ListInput = 'servers' | 'skills';
export type NumberInput =
  | 'usualPerSecond'
  | 'peakPerSecond'
  | 'peakOnOneName'
  | 'holdMs'
  | 'pauseMs'
  | 'freeWithinMs'
  | 'budgetMs';
export type ChoiceInput = Exclude<Input, ListInput | NumberInput>;

/** What has been said of a situation; the rest is assumed. */
export type Told = { readonly [I in Input]?: Situation[I] | undefined };

interface QuestionBase {
  readonly input: Input;
  /** The name of the option of the command. */
  readonly flag: string;
  readonly ask: string;
  /** What the input is called in the middle of a sentence. */
  readonly called: string;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

interface ChoiceQuestion extends QuestionBase {
  readonly kind: 'choice';
  readonly input: ChoiceInput;
  readonly options: readonly Option[];
}

interface ListQuestion extends QuestionBase {
  readonly kind: 'list';
  readonly input: ListInput;
  readonly options: readonly Option[];
}

interface NumberQuestion<Kind extends string> extends QuestionBase {
  readonly kind: Kind;
  readonly input: NumberInput;
  readonly least: number;
}

export type Question = ChoiceQuestion | ListQuestion | NumberQuestion<'rate'> | NumberQuestion<'duration'>;

/** In the order in which a form would show them. */
export const QUESTIONS: readonly Question[] = [
  {
    input: 'protects',
    flag: 'protects',
    kind: 'choice',
    ask: 'What is the lock for?',
    called: 'what the lock is for',
    options: [
      { value: 'data', label: 'data that must stay right: stock, orders, balances' },
      { value: 'work', label: 'work that need not be done twice: double clicks, a cache' },
      { value: 'leader', label: 'one that leads: a scheduler, the owner of a configuration' },
      { value: 'job', label: 'an internal job: a migration, a nightly report' },
    ],
  },
  {
    input: 'failure',
    flag: 'failure',
    kind: 'choice',
    ask: 'What does it cost if two hold it at once, one time?',
    called: 'what one failure costs',
    options: [
      { value: 'incident', label: 'days of work: money, stock or a cluster is wrong' },
      { value: 'repairable', label: 'a repair: reconciliation finds it, and it can be put right' },
      { value: 'harmless', label: 'next to nothing: one notification more, a cache made twice' },
      { value: 'unsure', label: 'I cannot say' },
    ],
  },
  {
    input: 'resource',
    flag: 'resource',
    kind: 'choice',
    ask: 'What can the place you write to do against a write that comes late, or twice?',
    called: 'what the resource can do',
    options: [
      { value: 'nothing', label: 'nothing: it takes what comes' },
      { value: 'compare-token', label: 'compare fencing tokens, and refuse the smaller number' },
      { value: 'conditional-write', label: 'decide in one write: a version column, WHERE stock > 0' },
      { value: 'drop-duplicates', label: 'know the same act again by its number, and do it once' },
    ],
  },
  {
    input: 'writesTo',
    flag: 'writes-to',
    kind: 'choice',
    ask: 'Where does the holder write?',
    called: 'where the holder writes',
    options: [
      { value: 'postgres', label: 'PostgreSQL' },
      { value: 'mysql', label: 'MySQL or MariaDB' },
      { value: 'redis', label: 'Redis' },
      { value: 'etcd', label: 'etcd' },
      { value: 'service', label: 'a service of ours, by HTTP' },
      { value: 'other', label: 'another store of ours' },
      { value: 'outside', label: 'something outside: a payment provider, mail, a device' },
    ],
  },
  {
    input: 'runsOn',
    flag: 'runs-on',
    kind: 'choice',
    ask: 'Where do the processes run that want the lock?',
    called: 'where the processes run',
    options: [
      { value: 'one-process', label: 'it is one process' },
      { value: 'one-machine', label: 'on one machine' },
      { value: 'one-region', label: 'on several machines of one region' },
      { value: 'several-regions', label: 'in several regions' },
    ],
  },
  {
    input: 'servers',
    flag: 'servers',
    kind: 'list',
    ask: 'Which servers do you have?',
    called: 'the servers that you have',
    options: [
      { value: 'redis', label: 'one Redis or Valkey' },
      { value: 'redis-replicas', label: 'Redis with replicas: Sentinel, a cluster' },
      { value: 'redis-independent', label: 'three or more Redis that know nothing of each other' },
      { value: 'etcd', label: 'an etcd of its own' },
      { value: 'etcd-kubernetes', label: 'the etcd of the Kubernetes control plane' },
      { value: 'zookeeper', label: 'ZooKeeper' },
      { value: 'postgres', label: 'PostgreSQL' },
      { value: 'mysql', label: 'MySQL or MariaDB' },
    ],
  },
  {
    input: 'skills',
    flag: 'skills',
    kind: 'list',
    ask: 'What has the team run in production?',
    called: 'what the team can run',
    options: [
      { value: 'etcd', label: 'etcd' },
      { value: 'java', label: 'Java services, such as ZooKeeper is one' },
    ],
  },
  {
    input: 'order',
    flag: 'order',
    kind: 'choice',
    ask: 'Must waiters get the lock in the order in which they came?',
    called: 'the order of waiters',
    options: [
      { value: 'any', label: 'no' },
      { value: 'needed', label: 'yes: nobody may starve' },
    ],
  },
  {
    input: 'usualPerSecond',
    flag: 'usual',
    kind: 'rate',
    ask: 'How often a second is a lock taken, usually?',
    called: 'the usual rate',
    least: 0,
  },
  {
    input: 'peakPerSecond',
    flag: 'peak',
    kind: 'rate',
    ask: 'And at the peak?',
    called: 'the peak',
    least: 0,
  },
  {
    input: 'peakOnOneName',
    flag: 'peak-on-one-name',
    kind: 'rate',
    ask: 'How much of the peak is for one and the same lock (the item on sale)?',
    called: 'the peak on one lock',
    least: 0,
  },
  {
    input: 'holdMs',
    flag: 'hold',
    kind: 'duration',
    ask: 'How long is the lock held, usually?',
    called: 'the time it is held',
    least: 0,
  },
  {
    input: 'pauseMs',
    flag: 'pause',
    kind: 'duration',
    ask: 'How long may a holder be paused at most (garbage collection, a frozen VM)?',
    called: 'the longest pause',
    least: 0,
  },
  {
    input: 'freeWithinMs',
    flag: 'free-within',
    kind: 'duration',
    ask: 'A holder has died: within what time must others go on?',
    called: 'the time after which others go on',
    least: 100,
  },
  {
    input: 'budgetMs',
    flag: 'budget',
    kind: 'duration',
    ask: 'How long may it take to get a free lock?',
    called: 'the time to get a free lock',
    least: 1,
  },
];

export function questionOf(input: Input): Question {
  return QUESTIONS.find((question) => question.input === input) as Question;
}

/** What is assumed where nothing was said; it depends on what was said before. */
export function assumed(input: Input, told: Told): Situation[Input] {
  const { protects = 'data' } = told;
  switch (input) {
    case 'protects':
      return 'data';
    case 'failure':
      return { data: 'incident', leader: 'incident', job: 'repairable', work: 'harmless' }[
        protects
      ] as Situation['failure'];
    case 'resource':
      // The databases for which Holdfast ships a guard; it does it all.
      return told.writesTo === 'postgres' || told.writesTo === 'mysql' || told.writesTo === 'redis'
        ? 'compare-token'
        : 'nothing';
    case 'writesTo':
      return 'other';
    case 'runsOn':
      return 'one-region';
    case 'servers':
      return serversOf(told.writesTo);
    case 'skills':
      return [];
    case 'order':
      return 'any';
    case 'usualPerSecond':
      return Math.min(protects === 'leader' || protects === 'job' ? 0.01 : 10, told.peakPerSecond ?? 10);
    case 'peakPerSecond':
      return Math.max(
        (told.usualPerSecond ?? (assumed('usualPerSecond', told) as number)) * 10,
        told.peakOnOneName ?? 0,
      );
    case 'peakOnOneName':
      return Math.min(1, told.peakPerSecond ?? 1);
    case 'holdMs':
      return 20;
    case 'pauseMs':
      return Math.min(1_000, told.freeWithinMs ?? 1_000);
    case 'freeWithinMs':
      return Math.max(30_000, told.pauseMs ?? 0);
    case 'budgetMs':
      return 100;
  }
}

/** Who writes to a database has it. */
function serversOf(writesTo: Situation['writesTo'] | undefined): readonly Server[] {
  return writesTo === 'postgres' || writesTo === 'mysql' || writesTo === 'redis' || writesTo === 'etcd'
    ? [writesTo]
    : [];
}

export interface Completed {
  readonly situation: Situation;
  /** What was not said, and so is a guess. */
  readonly assumed: readonly Input[];
}

/** The whole situation, with assumptions for what was not said. */
export function complete(told: Told): Completed {
  const known: { -readonly [I in Input]?: unknown } = { ...told };
  const guessed: Input[] = [];
  for (const { input } of QUESTIONS) {
    if (known[input] !== undefined) continue;
    known[input] = assumed(input, known as Told);
    guessed.push(input);
  }
  return { situation: known as unknown as Situation, assumed: guessed };
}
