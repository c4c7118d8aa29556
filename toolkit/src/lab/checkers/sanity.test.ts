import { describe, expect, it } from 'vitest';
import type { Happening } from '../history.ts';
import { fault, granted, history, incomplete, reads, released, type Said, writes } from './hand-written.testing.ts';
import { sanity } from './sanity.ts';

const { check } = sanity;
const work: Said[] = [...granted('A1', 0), reads(1, 1, 'A1', 0), writes(2, 2, 'A1', { open: [0, 1] })];
const operation = (at: number, by: string, type: 'invoke' | 'ok', op: number): Said => [
  at,
  by,
  { f: 'write', type, op, hold: 'A1' } as Happening,
];

describe('a history', () => {
  it('is valid when it is whole, worked before the fault, and proves the fault', () => {
    expect(check(history(work, fault('kill', 'A', 10), granted('B1', 20), released('B1', 30)))).toMatchObject({
      verdict: 'safe',
    });
  });

  it('is valid without any fault', () => {
    expect(check(history(work)).verdict).toBe('safe');
  });

  it('is void when a fault has no proof', () => {
    const found = check(history(work, fault('stop', 'A', 10, 'missing')));
    expect(found.verdict).toBe('unknown');
    expect(found.evidence[0]).toContain('Nothing proves that the fault "stop A" had its effect');
  });

  it('is void when a fault had no effect', () => {
    expect(check(history(work, fault('kill', 'A', 10, 'failed'))).evidence[0]).toContain('had no effect');
  });

  it('is void when a holder or the lab was in trouble, and says which', () => {
    const found = check(
      history(work, [50, 'A', { f: 'trouble', type: 'event', error: 'A: believes() gave a promise' }]),
    );
    expect(found).toMatchObject({ verdict: 'unknown', evidence: ['A: believes() gave a promise'] });
  });

  it('is void when it ends in the middle', () => {
    expect(check(incomplete(work)).evidence).toEqual(['The run did not come to its end.']);
  });

  it('is void when the record of the resource has a gap', () => {
    expect(check(history(work, reads(4, 5, 'A1', 1))).evidence[0]).toContain('gap');
  });

  it('is void when the resource has counted something twice', () => {
    expect(check(history(work, reads(2, 5, 'A1', 1))).evidence[0]).toContain('gap');
  });

  it('is void when nobody worked before the fault', () => {
    const found = check(
      history(granted('A1', 0), fault('kill', 'A', 10), reads(1, 20, 'B1', 0), writes(2, 21, 'B1', { open: [0, 1] })),
    );
    expect(found.evidence[0]).toContain('No holder did any work before the fault');
  });

  it('may cut a replica off before anybody works', () => {
    expect(check(history(fault('cut', 'replica', -10), work, fault('kill', 'primary', 10))).verdict).toBe('safe');
  });

  it('is void when a process began one thing inside another', () => {
    const found = check(history(work, operation(10, 'A', 'invoke', 901), operation(11, 'A', 'invoke', 902)));
    expect(found.evidence[0]).toContain('inside');
  });

  it('is void when a process ended what it had not begun', () => {
    expect(check(history(work, operation(10, 'A', 'ok', 901))).evidence[0]).toContain('had not begun');
  });

  it('is valid when a killed process left an operation open', () => {
    expect(check(history(work, operation(10, 'A', 'invoke', 901), fault('kill', 'A', 11))).verdict).toBe('safe');
  });

  it('is void when the machine was so slow that the lock ran out before the fault', () => {
    const found = check(history(work, granted('B1', 3_100), fault('kill', 'A', 3_200)));
    expect(found.evidence[0]).toContain('needed more than the TTL of 3.00 s');
  });

  it('is valid when a lock was given to a rival in its time: that is a finding', () => {
    expect(check(history(work, granted('B1', 100), fault('kill', 'A', 3_200))).verdict).toBe('safe');
  });

  it('is void when lines cannot be read', () => {
    expect(check({ ...history(work), unreadable: 2 }).evidence[0]).toContain('2 lines');
  });
});
