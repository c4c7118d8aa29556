/**
 * The guard at the door of an HTTP service, for any framework: reads the header `Fencing-Token`, asks a guard, and says
 * what to answer if the request must not be served.
 *
 * @module
 */
import { LockError } from '../core/errors.ts';
import { parseToken } from '../core/fencing.ts';

/** Any guard with `enter`: that of `holdfast/guards/memory`, of `holdfast/guards/redis`, or one of your own. */
export interface EnterGuard {
  enter(resource: string, token: bigint): void | Promise<void>;
}

/** Headers as Node has them, or as the Fetch API has them. */
export type RequestHeaders =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | { get(name: string): string | null };

export interface Refusal {
  /** 412 for a stale token, 428 for none, 400 for one that is no number. */
  readonly status: 400 | 412 | 428;
  readonly headers: { readonly 'content-type': 'application/problem+json' };
  readonly body: string;
}

/**
 * Undefined if the request may be served: then its token is the floor for the resource, reads included. Otherwise what
 * to answer. Rejects if the guard cannot tell.
 */
export async function checkFencingToken(
  guard: EnterGuard,
  resource: string,
  headers: RequestHeaders,
): Promise<Refusal | undefined> {
  const text = readHeader(headers);
  if (text === undefined)
    return refuse(428, 'The header Fencing-Token is missing: the token of the lease, in decimal.');
  let token: bigint;
  try {
    token = parseToken(text);
  } catch {
    return refuse(400, 'The header Fencing-Token is not a decimal number.');
  }
  try {
    await guard.enter(resource, token);
    return undefined;
  } catch (error) {
    if (error instanceof LockError && error.code === 'STALE_TOKEN') return refuse(412, error.message);
    throw error;
  }
}

function readHeader(headers: RequestHeaders): string | undefined {
  const name = 'fencing-token';
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const value = (headers as { readonly [name: string]: string | readonly string[] | undefined })[name];
  return typeof value === 'string' ? value : value?.[0];
}

function refuse(status: Refusal['status'], detail: string): Refusal {
  const body = JSON.stringify({ type: 'about:blank', status, detail });
  return { status, headers: { 'content-type': 'application/problem+json' }, body };
}
