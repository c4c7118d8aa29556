import { describe, expect, it } from 'vitest';
import { fencingOrder } from './fencing-order.ts';
import { failed, granted, history } from './hand-written.testing.ts';

const { check } = fencingOrder;

describe('the order of fencing tokens', () => {
  it('is right when each token is larger than the one before', () => {
    expect(check(history(granted('A1', 0, { token: '1' }), granted('B1', 10, { token: '2' })))).toMatchObject({
      verdict: 'safe',
      figures: { tokensInOrder: true },
    });
  });

  it('may leave numbers out', () => {
    expect(check(history(granted('A1', 0, { token: '7' }), granted('B1', 10, { token: '7000' }))).verdict).toBe('safe');
  });

  it('is wrong when a later grant gets a smaller token, as after a failover that has lost the counter', () => {
    const found = check(history(granted('A1', 0, { token: '41' }), granted('B1', 10, { token: '1' })));
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { tokensInOrder: false } });
    expect(found.evidence[0]).toContain('went back');
  });

  it('is wrong when two grants get the same token', () => {
    const found = check(history(granted('A1', 0, { token: '1' }), granted('B1', 10, { token: '1' })));
    expect(found.verdict).toBe('unsafe');
    expect(found.evidence[0]).toContain('the same token');
  });

  it('is wrong when two grants of one instant get the same token', () => {
    const found = check(
      history(granted('A1', 10, { asked: 0, token: '1' }), granted('B1', 11, { asked: 1, token: '1' })),
    );
    expect(found.verdict).toBe('unsafe');
  });

  it('says nothing about which of two requests at the same time gets the larger one', () => {
    const found = check(
      history(granted('A1', 10, { asked: 0, token: '2' }), granted('B1', 11, { asked: 1, token: '1' })),
    );
    expect(found.verdict).toBe('safe');
  });

  it('compares all grants and not only neighbours', () => {
    const found = check(
      history(
        granted('A1', 0, { token: '5' }),
        granted('B1', 20, { asked: -1, token: '6' }),
        granted('A2', 30, { token: '4' }),
      ),
    );
    expect(found.evidence).toHaveLength(2);
  });

  it('compares tokens as numbers and not as texts', () => {
    expect(check(history(granted('A1', 0, { token: '9' }), granted('B1', 10, { token: '10' }))).verdict).toBe('safe');
  });

  it('compares tokens beyond what a double can hold', () => {
    const found = check(
      history(granted('A1', 0, { token: '9007199254740993' }), granted('B1', 10, { token: '9007199254740992' })),
    );
    expect(found.verdict).toBe('unsafe');
  });

  it('is not asked of a lock without tokens', () => {
    expect(check(history(granted('A1', 0), granted('B1', 10))).verdict).toBe('not-run');
  });

  it('is undecided when some grants carry a token and some do not', () => {
    const found = check(history(granted('A1', 0, { token: '1' }), granted('B1', 10)));
    expect(found.verdict).toBe('unknown');
    expect(found.evidence[0]).toContain('1 of 2');
  });

  it('is undecided with a single grant, and with none', () => {
    expect(check(history(granted('A1', 0, { token: '1' }))).verdict).toBe('unknown');
    expect(check(history()).verdict).toBe('unknown');
  });

  it('leaves out requests of which nobody knows whether they were granted', () => {
    const found = check(history(granted('A1', 0, { token: '1' }), failed('B', 10), granted('B1', 20, { token: '3' })));
    expect(found.verdict).toBe('safe');
  });
});
