import { describe, expect, it } from 'vitest';
import type { Told } from '../../../advise/situation.ts';
import { hashOf, toldByHash } from './asked.ts';

describe('the address of an advice', () => {
  it('says again what was told', () => {
    const told: Told = {
      protects: 'work',
      servers: ['etcd', 'redis'],
      skills: [],
      peakPerSecond: 5_000,
      holdMs: 90_000,
    };
    expect(hashOf(told)).toBe('#advisor?protects=work&servers=etcd,redis&skills=none&peak=5000&hold=90s');
    expect(toldByHash(hashOf(told))).toEqual(told);
    expect(toldByHash('#advisor')).toEqual({});
  });

  it('tells nothing that is no answer, and nothing where it is of something else', () => {
    expect(toldByHash('#advisor?protects=money&peak=many&nothing=1&order=needed')).toEqual({ order: 'needed' });
    expect(toldByHash('#pause/setnx')).toBeUndefined();
  });
});
