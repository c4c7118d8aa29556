import { describe, expect, it } from 'vitest';
import { readAnswer, throwIfError, toldBelief, toldGrant, toldIdentity } from './command-protocol.ts';

describe('a line of a program', () => {
  it.each(['', 'connected', '[1]', '{"granted":', '42', 'null'])('is something that it has printed: %j', (line) => {
    expect(readAnswer(line)).toBeUndefined();
  });

  it('is an answer where it is a JSON object, also after a carriage return', () => {
    expect(readAnswer(' {"granted":true}\r')).toEqual({ granted: true });
  });
});

describe('an answer', () => {
  it('can be an error, which is what the lock says', () => {
    expect(() => throwIfError('acquire', { error: 'no quorum' })).toThrow('no quorum');
    expect(() => throwIfError('acquire', { error: null })).not.toThrow();
    expect(() => throwIfError('acquire', { error: 7 })).toThrow('The answer to "acquire" lacks error as a text');
  });

  it('to "describe" has a name, and a server that the lab can start', () => {
    expect(toldIdentity({ name: 'mine' })).toMatchObject({ name: 'mine', server: 'redis' });
    expect(toldIdentity({ name: 'mine', server: 'etcd' })).toMatchObject({ server: 'etcd' });
    expect(() => toldIdentity({})).toThrow(
      'The answer to "describe" lacks name, a text of 1 to 40 printable characters',
    );
    expect(() => toldIdentity({ name: 'mine', server: 'oracle' })).toThrow('server, which may be left out, or one of');
  });

  it('to "acquire" says whether it was granted, with a token or without', () => {
    expect(toldGrant({ granted: false })).toBeNull();
    expect(toldGrant({ granted: true })).toEqual({});
    expect(toldGrant({ granted: true, fencingToken: null })).toEqual({});
    expect(toldGrant({ granted: true, fencingToken: '42' })).toEqual({ fencingToken: '42' });
    expect(() => toldGrant({ granted: 1 })).toThrow('lacks granted, which is true or false; it was {"granted":1}');
  });

  it('cannot have a token that JSON would round', () => {
    expect(() => toldGrant({ granted: true, fencingToken: 1_796_006_739_060_470 })).toThrow('a decimal string');
  });

  it('to "believes" is true or false', () => {
    expect(toldBelief({ believes: false })).toBe(false);
    expect(() => toldBelief({})).toThrow('The answer to "believes" lacks believes');
    expect(() => toldBelief({ believes: 'yes' })).toThrow('believes() must answer true or false at once');
  });
});
