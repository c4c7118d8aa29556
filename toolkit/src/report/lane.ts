/**
 * What the page draws of a history, as data: lanes with spans and marks on them.
 *
 * @module
 */

/** What lasted. */
export type SpanKind = 'waits' | 'believes' | 'doubts' | 'stopped' | 'cut' | 'hangs' | 'dead';

/** What happened in a moment. */
export type MarkKind =
  | 'asks'
  | 'fails'
  | 'granted'
  | 'loses'
  | 'releases'
  | 'write'
  | 'stale'
  | 'lost'
  | 'refused'
  | 'renewed'
  | 'expired'
  | 'deleted'
  | 'news'
  | 'fault';

/** Times are milliseconds from the first grant. `says` is a sentence of the lab, or numbers. */
export type Span = readonly [kind: SpanKind, from: number, to: number, says?: string];
export type Mark = readonly [kind: MarkKind, at: number, by?: string, says?: string];

export interface Lane {
  /** `A`, `redis`; `open` and `guarded` for the registers. */
  readonly id: string;
  readonly role: 'holder' | 'server' | 'register';
  readonly spans: readonly Span[];
  /** In the order of time. */
  readonly marks: readonly Mark[];
}

/** A time in which two holders believed at once. */
export interface Overlap {
  readonly older: string;
  readonly newer: string;
  readonly from: number;
  readonly to: number;
}

export interface Lanes {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
  readonly overlaps: readonly Overlap[];
}
