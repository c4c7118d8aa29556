/**
 * What a client or server complains of, as the codes that all backends share.
 *
 * The line that matters runs between "certainly not done" and "nobody knows": a server that answers READONLY has done
 * nothing, a connection that closed under a request may have.
 *
 * @module
 */
import {
  BackendUnavailableError,
  LockError,
  type LockErrorCode,
  OutcomeUnknownError,
  quote,
} from '../../core/errors.ts';
import { ClientClosedError, NotSentError } from './client.ts';

/** The server's own words for "not now", with nothing done; the names behind the bar are what Valkey GLIDE makes of them. */
const REFUSALS: Readonly<Record<string, { readonly code: LockErrorCode; readonly why: string }>> = {
  READONLY: {
    code: 'UNAVAILABLE',
    why: 'the server is a replica, which does not write; after a failover the client finds the new primary',
  },
  LOADING: { code: 'UNAVAILABLE', why: 'the server is starting, and still reads its data' },
  BUSY: { code: 'UNAVAILABLE', why: 'the server is busy with a long script of somebody' },
  OOM: { code: 'UNAVAILABLE', why: 'the memory of the server is full (maxmemory)' },
  NOREPLICAS: { code: 'UNAVAILABLE', why: 'the server has fewer replicas than min-replicas-to-write asks for' },
  MISCONF: { code: 'UNAVAILABLE', why: 'the server cannot write its data to disk, and so accepts no writes' },
  CLUSTERDOWN: { code: 'UNAVAILABLE', why: 'a part of the cluster has no server' },
  MASTERDOWN: { code: 'UNAVAILABLE', why: 'the server is a replica without its primary' },
  TRYAGAIN: { code: 'UNAVAILABLE', why: 'the cluster is moving this key' },
  NOAUTH: { code: 'ACCESS_DENIED', why: 'the server asks for a password, and the client gave none' },
  WRONGPASS: { code: 'ACCESS_DENIED', why: 'the server knows no such name and password' },
  NOPERM: {
    code: 'ACCESS_DENIED',
    why: 'the user lacks a permission (see the list in the documentation of this backend)',
  },
  CROSSSLOT: { code: 'CONFIG', why: 'the server is a node of a cluster; hand in a cluster client' },
  MOVED: { code: 'CONFIG', why: 'the server is a node of a cluster; hand in a cluster client' },
  ASK: { code: 'CONFIG', why: 'the server is a node of a cluster; hand in a cluster client' },
};

/** What a node says of a lock that another node has. */
const ELSEWHERE: ReadonlySet<string> = new Set(['CROSSSLOT', 'MOVED', 'ASK']);

const GLIDE_NAMES: Readonly<Record<string, string>> = {
  ReadOnly: 'READONLY',
  BusyLoadingError: 'LOADING',
  ClusterDown: 'CLUSTERDOWN',
  MasterDown: 'MASTERDOWN',
  TryAgain: 'TRYAGAIN',
  PermissionDenied: 'NOPERM',
  CrossSlot: 'CROSSSLOT',
  Moved: 'MOVED',
  Ask: 'ASK',
};

/** Messages without a code word of their own, as servers and clients of different versions put them. */
const PHRASES: readonly { readonly pattern: RegExp; readonly word: string }[] = [
  { pattern: /user executing the script can't|ACL failure in script/, word: 'NOPERM' },
  {
    pattern: /non local key in a cluster node|do not hash to the same slot|accessed during rehashing of the slot/,
    word: 'CROSSSLOT',
  },
];

/** Messages of client libraries that mean: it was never sent. */
const NEVER_SENT =
  /enableOfflineQueue options is false|The client is (closed|offline)|the client is closed|The queue is full/;

/** What Valkey GLIDE says when it will never send anything again. */
const CLOSED_FOR_GOOD = /the client is closed\. Please create a new client/;

const SUBSCRIBER_MODE = /in subscriber mode|only \(P\|S\)SUBSCRIBE/;

const UNKNOWN_COMMAND = /unknown command/i;

export function isNoScript(error: unknown): boolean {
  return /NOSCRIPT|NoScriptError/.test(messageOf(error));
}

/** Whether a node of a cluster says that another one is to be asked. */
export function isRedirection(error: unknown): boolean {
  return /^(MOVED|ASK|TRYAGAIN|Moved|Ask|TryAgain)\b/.test(messageOf(error));
}

/**
 * Fewer replicas than asked for have acknowledged it in time. A lock was given back on the primary then, and a renewal
 * counts for nothing: the lease ends where it would have ended without it.
 */
export class TooFewReplicasError extends LockError {
  override readonly name = 'TooFewReplicasError';
  /** How many did acknowledge. */
  readonly acknowledged: number;
  /** How many had to. */
  readonly replicas: number;

  constructor(
    lockName: string,
    shortage: {
      readonly acknowledged: number;
      readonly replicas: number;
      readonly acknowledgeMs: number;
      readonly onDisk: boolean;
      /** Whether the primary itself has done its part. */
      readonly local: boolean;
    },
  ) {
    const { acknowledged, replicas, acknowledgeMs, onDisk, local } = shortage;
    const what = `${acknowledged} of the ${replicas} replicas that must have it ${onDisk ? 'on disk ' : ''}acknowledged it`;
    const primary = local ? '' : ', and the primary itself did not have it on disk';
    super(
      'UNAVAILABLE',
      `The lock ${quote(lockName)} is not replicated: ${what} within ${acknowledgeMs} ms${primary}. ` +
        'Is each replica connected, and in step? A larger acknowledgeMs waits longer.',
      { lockName },
    );
    this.acknowledged = acknowledged;
    this.replicas = replicas;
  }
}

/** The error of a whole call as a `LockError` about one of its locks. */
export function translate(error: unknown, lockName: string, onCluster = false): LockError {
  if (error instanceof LockError) return error;
  const message = messageOf(error);
  const about = { lockName, cause: withoutSecrets(error) };
  const refused = refusal(message, lockName, about.cause, onCluster);
  if (refused !== undefined) return refused;
  if (error instanceof ClientClosedError || CLOSED_FOR_GOOD.test(message)) {
    return new BackendUnavailableError(
      `Redis cannot be asked for the lock ${quote(lockName)}: the client that was handed in is closed, or was never connected (${redact(message)}). Connect it before its first lock, and close it after the last.`,
      { ...about, isLasting: true },
    );
  }
  if (error instanceof NotSentError || NEVER_SENT.test(message)) {
    return new BackendUnavailableError(
      `Redis could not be asked for the lock ${quote(lockName)}: the client has no connection, or takes no more (${redact(message)}).`,
      about,
    );
  }
  return new OutcomeUnknownError(
    `Redis gave no answer about the lock ${quote(lockName)}, so that it may have been done: ${redact(message)}`,
    about,
  );
}

/** The error of one operation, as its script has put it. */
export function translateReply(message: string, lockName: string, key: string, onCluster = false): LockError {
  return (
    foreignData(message, lockName, key) ??
    refusal(message, lockName, undefined, onCluster) ??
    new OutcomeUnknownError(`Redis failed at the lock ${quote(lockName)}: ${message}`, { lockName })
  );
}

/** The error for a command of the probe that did not work: it is not allowed, not known, or not possible now. */
export function probeError(command: string, message: string, lockName: string, onCluster = false): LockError {
  const refused = refusal(message, lockName, undefined, onCluster);
  if (refused?.code === 'UNAVAILABLE') return refused;
  const about = { lockName };
  if (refused?.code === 'ACCESS_DENIED') {
    const sentence = `Redis does not allow its user the command ${command}, which locks need (${message}).`;
    return new LockError(
      'ACCESS_DENIED',
      `${sentence} The documentation of this backend lists all that an ACL must allow.`,
      about,
    );
  }
  const sentence = `Redis cannot do the command ${command} as locks need it (${message}).`;
  return new LockError('CONFIG', `${sentence} Redis 6.2 or newer, or Valkey, can.`, about);
}

function refusal(message: string, lockName: string, cause: unknown, onCluster = false): LockError | undefined {
  const said = message.replace(/^An error was signalled by the server: - /, '');
  const first = /^[A-Za-z]+/.exec(said)?.[0] ?? '';
  const phrase = PHRASES.find(({ pattern }) => pattern.test(said));
  const code = phrase?.word ?? GLIDE_NAMES[first] ?? first;
  // A cluster client goes where it is sent; what is left over is a slot that is just being moved.
  const word = onCluster && ELSEWHERE.has(code) ? 'TRYAGAIN' : code;
  const text = `Redis refused the lock ${quote(lockName)}: `;
  const known = REFUSALS[word];
  if (known !== undefined) {
    const sentence = `${text}${known.why} (${redact(said)}).`;
    if (known.code === 'UNAVAILABLE') return new BackendUnavailableError(sentence, { lockName, cause });
    return new LockError(known.code, sentence, { lockName, cause });
  }
  if (SUBSCRIBER_MODE.test(said)) {
    const why =
      'the client that was handed in is subscribed to channels, and can send no commands. Hand in one that is not';
    return new LockError('CONFIG', `${text}${why} (${said}).`, { lockName, cause });
  }
  if (UNKNOWN_COMMAND.test(said)) {
    return new LockError(
      'CONFIG',
      `${text}it lacks a command that locks need (${redact(said)}). Redis 6.2 or newer has it.`,
      {
        lockName,
        cause,
      },
    );
  }
  return undefined;
}

/** What somebody else keeps where the lock should be. It is never touched. */
function foreignData(message: string, lockName: string, key: string): LockError | undefined {
  const [, kind, detail = ''] = /^CONFIG (\S+) (.*)$/s.exec(message) ?? [];
  const remedy = 'It was left as it is. Another name or keyPrefix would do.';
  const because = (what: string): LockError =>
    new LockError('CONFIG', `The lock ${quote(lockName)} cannot be had: ${what} ${remedy}`, { lockName });
  if (kind === 'type')
    return because(`its key ${quote(key)} holds a ${detail}, which is not a lock but somebody's data.`);
  if (kind === 'expiry') {
    return because(
      `its key ${quote(key)} holds a ${detail} without an expiry, which is not a lock but somebody's data.`,
    );
  }
  if (kind === 'counter')
    return because(`the key ${quote(detail)} should hold a fencing token, and holds something else.`);
  if (/WRONGTYPE/.test(message)) return because(`a key beside ${quote(key)} holds somebody's data of another type.`);
  return undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A cause to look at, without the fields of a client's error: they can hold the arguments of AUTH. */
function withoutSecrets(error: unknown): Error {
  const cause = new Error(redact(messageOf(error)));
  if (error instanceof Error) cause.name = error.name;
  return cause;
}

/** Takes user and password out of addresses. */
function redact(text: string): string {
  return text.replace(/\b(rediss?:\/\/)[^@\s/]*@/g, '$1…@');
}
