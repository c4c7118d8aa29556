import { describe, expect, it } from 'vitest';
import { callsBetween, parseInfo } from './server-figures.ts';

const info = (set: number, evalsha: number): string =>
  [
    '# Clients',
    'blocked_clients:3',
    '# Memory',
    'used_memory:1048576',
    '# CPU',
    'used_cpu_sys:0.250000',
    'used_cpu_user:1.500000',
    '# Commandstats',
    `cmdstat_set:calls=${set},usec=17,usec_per_call=1.70,rejected_calls=0,failed_calls=0`,
    `cmdstat_evalsha:calls=${evalsha},usec=40,usec_per_call=4.00,rejected_calls=0,failed_calls=0`,
    '',
  ].join('\r\n');

describe('what a server says about its work', () => {
  it('is read from INFO', () => {
    const figures = parseInfo(info(10, 4));
    expect(figures).toMatchObject({ cpuMs: 1750, blockedClients: 3, usedMemoryBytes: 1_048_576 });
    expect(figures.calls.get('set')).toBe(10);
  });

  it('counts the commands in between, those that appear for the first time included', () => {
    const before = parseInfo(info(10, 4).replace(/^cmdstat_evalsha.*$/m, ''));
    const after = parseInfo(info(15, 6));
    expect(callsBetween(before, after)).toBe(11);
    expect(callsBetween(before, after, ['evalsha', 'eval'])).toBe(6);
  });

  it('is an error where the server leaves a number out', () => {
    expect(() => parseInfo('used_cpu_user:1')).toThrow('used_cpu_sys');
  });
});
