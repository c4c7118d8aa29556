/**
 * What ZooKeeper says when something fails, in the words of Holdfast.
 *
 * @module
 */
import { BackendUnavailableError, LockError, OutcomeUnknownError, quote } from '../../core/errors.ts';
import { ConnectionLossError, NotConnectedError, SessionOverError, ZooKeeperError } from './client/errors.ts';

/** Answers that asking again does not change, with what helps. */
const REMEDIES: Readonly<Record<string, { readonly code: 'ACCESS_DENIED' | 'CONFIG'; readonly remedy: string }>> = {
  NO_AUTH: {
    code: 'ACCESS_DENIED',
    remedy: 'Others have made this node. Is `digest` the user and password that the other processes have?',
  },
  AUTH_FAILED: { code: 'ACCESS_DENIED', remedy: 'Does the server know the digest scheme?' },
  SESSION_CLOSED_REQUIRE_SASL_AUTH: {
    code: 'ACCESS_DENIED',
    remedy: 'This server wants SASL, which is not offered here.',
  },
  UNIMPLEMENTED: { code: 'CONFIG', remedy: 'Containers need ZooKeeper 3.6 or newer.' },
  NO_CHILDREN_FOR_EPHEMERALS: {
    code: 'CONFIG',
    remedy: 'Something else has an ephemeral node where the lock should be. The option `root` names another place.',
  },
  NO_NODE: { code: 'CONFIG', remedy: 'The chroot of the connect string must exist: create it once.' },
  BAD_ARGUMENTS: { code: 'CONFIG', remedy: 'Is `root` a path that this server takes?' },
  INVALID_ACL: { code: 'CONFIG', remedy: 'Does the server know the digest scheme?' },
  QUOTA_EXCEEDED: { code: 'CONFIG', remedy: 'A quota on these nodes is used up.' },
};

/** What somebody else keeps where the contenders of a lock should be. It is never touched. */
export function dataInTheWay(lockName: string, path: string): LockError {
  return new LockError(
    'CONFIG',
    `The lock ${quote(lockName)} cannot be had: the node ${quote(path)} is before it in line, and is not of a session, so ` +
      "it is not of a lock but somebody's data. It was left as it is. Another name, or another `root`, would do.",
    { lockName },
  );
}

/** The error for a caller. */
export function toLockError(error: unknown, lockName: string): LockError {
  if (error instanceof LockError) return error;
  const about = { lockName, cause: error };
  const where = lockName === '' ? 'the locks' : `the lock ${quote(lockName)}`;
  if (error instanceof NotConnectedError || error instanceof SessionOverError) {
    return new BackendUnavailableError(`ZooKeeper could not be asked for ${where}: ${error.message}`, about);
  }
  if (error instanceof ConnectionLossError) {
    return new OutcomeUnknownError(
      `No answer from ZooKeeper for ${where}; it may have been done. ${error.message}`,
      about,
    );
  }
  if (error instanceof ZooKeeperError) {
    const known = REMEDIES[error.code];
    if (known === undefined) return new BackendUnavailableError(`${error.message} It was for ${where}.`, about);
    return new LockError(known.code, `${error.message} It was for ${where}. ${known.remedy}`, about);
  }
  const text = error instanceof Error ? error.message : String(error);
  return new OutcomeUnknownError(`ZooKeeper failed at ${where}: ${text}`, about);
}
