/**
 * The addresses of the members, as people write them.
 *
 * @module
 */
import type { Endpoint } from './connection.ts';

const DEFAULT_PORT = 2379;

export interface Addresses {
  readonly endpoints: readonly Endpoint[];
  /** Whether they say `https`; undefined if they say neither. */
  readonly secure: boolean | undefined;
}

/** Reads `host`, `host:port`, `[::1]:port`, and the same after `http://` or `https://`. */
export function parseEndpoints(written: unknown): Addresses {
  if (!Array.isArray(written) || written.length === 0) {
    throw new TypeError('The option endpoints must be a list of addresses such as ["10.0.0.1:2379", "10.0.0.2:2379"].');
  }
  const parsed = written.map(parseEndpoint);
  const schemes = new Set(parsed.map(({ secure }) => secure).filter((secure) => secure !== undefined));
  if (schemes.size > 1) throw new TypeError('The option endpoints mixes http and https; a client speaks one of them.');
  return { endpoints: parsed.map(({ endpoint }) => endpoint), secure: [...schemes][0] };
}

function parseEndpoint(written: unknown): { endpoint: Endpoint; secure: boolean | undefined } {
  const wrong = new TypeError(`The endpoint ${JSON.stringify(written)} is no address such as "10.0.0.1:2379".`);
  if (typeof written !== 'string') throw wrong;
  const scheme = /^(https?):\/\//.exec(written)?.[1];
  const address = written.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const [, v6, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@?#[\]]+))(?::(\d{1,5}))?$/.exec(address) ?? [];
  const host = v6 ?? plain;
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (host === undefined || number < 1 || number > 65_535) throw wrong;
  return { endpoint: { host, port: number }, secure: scheme === undefined ? undefined : scheme === 'https' };
}
