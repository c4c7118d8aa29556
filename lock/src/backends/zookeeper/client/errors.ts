/**
 * What can go wrong between us and a ZooKeeper server: a no of the server with its code, or no answer.
 *
 * @module
 */

/** The codes of the server that mean something to us, by number. */
const CODES: Readonly<Record<number, string>> = {
  [-1]: 'SYSTEM_ERROR',
  [-2]: 'RUNTIME_INCONSISTENCY',
  [-3]: 'DATA_INCONSISTENCY',
  [-4]: 'CONNECTION_LOSS',
  [-5]: 'MARSHALLING_ERROR',
  [-6]: 'UNIMPLEMENTED',
  [-7]: 'OPERATION_TIMEOUT',
  [-8]: 'BAD_ARGUMENTS',
  [-100]: 'API_ERROR',
  [-101]: 'NO_NODE',
  [-102]: 'NO_AUTH',
  [-103]: 'BAD_VERSION',
  [-108]: 'NO_CHILDREN_FOR_EPHEMERALS',
  [-110]: 'NODE_EXISTS',
  [-111]: 'NOT_EMPTY',
  [-112]: 'SESSION_EXPIRED',
  [-113]: 'INVALID_CALLBACK',
  [-114]: 'INVALID_ACL',
  [-115]: 'AUTH_FAILED',
  [-118]: 'SESSION_MOVED',
  [-119]: 'NOT_READONLY',
  [-121]: 'NO_WATCHER',
  [-124]: 'SESSION_CLOSED_REQUIRE_SASL_AUTH',
  [-125]: 'QUOTA_EXCEEDED',
  [-127]: 'THROTTLED',
};

/** The server answered no. Nothing was done. */
export class ZooKeeperError extends Error {
  override readonly name: string = 'ZooKeeperError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }

  static of(error: number, what: string, path: string): ZooKeeperError {
    const code = CODES[error] ?? `ERROR_${error}`;
    return new ZooKeeperError(code, `ZooKeeper answered ${code} to ${what} of ${path}.`);
  }
}

/** The connection ended, or the deadline came, while the request was under way: it may have been done. It is never sent again. */
export class ConnectionLossError extends Error {
  override readonly name = 'ConnectionLossError';
}

/** There is no connection: the request was not sent. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

/** The session is over, by the word of the server or because we closed it. Its ephemeral nodes are gone, or go. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}
