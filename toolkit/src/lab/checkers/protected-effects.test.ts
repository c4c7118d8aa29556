import { describe, expect, it } from 'vitest';
import { granted, history, reads, type Said, writes } from './hand-written.testing.ts';
import { guardedRegister, openRegister } from './protected-effects.ts';

const bothHolds: Said[] = [...granted('A1', 0, { token: '1' }), ...granted('B1', 100, { token: '2' })];

describe('the register without a guard', () => {
  const { check } = openRegister;

  it('is intact when each holder writes what follows from what it read', () => {
    const found = check(
      history(
        bothHolds,
        reads(1, 1, 'A1', 0),
        writes(2, 2, 'A1', { open: [0, 1] }),
        reads(3, 101, 'B1', 1),
        writes(4, 102, 'B1', { open: [1, 2] }),
      ),
    );
    expect(found).toMatchObject({ verdict: 'safe', figures: { staleWritesAccepted: 0, lostUpdates: 0 } });
  });

  it('is damaged by a write of a holder whose rival has written', () => {
    const found = check(
      history(
        bothHolds,
        reads(1, 1, 'A1', 0),
        reads(2, 101, 'B1', 0),
        writes(3, 102, 'B1', { open: [0, 1] }),
        writes(4, 103, 'A1', { open: [0, 2] }),
      ),
    );
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { staleWritesAccepted: 1, lostUpdates: 1 } });
    expect(found.evidence[0]).toContain('the first by A1 at T+0.10s');
  });

  it('is damaged by a write of a holder whose rival has only read so far', () => {
    const found = check(
      history(bothHolds, reads(1, 1, 'A1', 0), reads(2, 101, 'B1', 0), writes(3, 102, 'A1', { open: [0, 1] })),
    );
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { staleWritesAccepted: 1, lostUpdates: 0 } });
  });

  it('is damaged when the rival overwrites what the stale holder wrote in between', () => {
    const found = check(
      history(
        bothHolds,
        reads(1, 101, 'B1', 0),
        writes(2, 102, 'A1', { open: [0, 1] }),
        writes(3, 103, 'B1', { open: [0, 2] }),
      ),
    );
    expect(found.figures).toEqual({ staleWritesAccepted: 1, lostUpdates: 1 });
  });

  it('is intact when a write of the old holder arrives late, but before its rival comes', () => {
    const found = check(
      history(
        bothHolds,
        writes(1, 99, 'A1', { open: [0, 1] }),
        reads(2, 101, 'B1', 1),
        writes(3, 102, 'B1', { open: [1, 2] }),
      ),
    );
    expect(found.verdict).toBe('safe');
  });

  it('is intact when a stale holder only reads', () => {
    const found = check(
      history(bothHolds, reads(1, 101, 'B1', 0), reads(2, 102, 'A1', 0), writes(3, 103, 'B1', { open: [0, 1] })),
    );
    expect(found.verdict).toBe('safe');
  });

  it('is judged in the order of the resource, and not of the clock', () => {
    const found = check(
      history(bothHolds, writes(2, 50, 'A1', { open: [0, 2] }), writes(1, 60, 'B1', { open: [0, 1] })),
    );
    expect(found.figures?.staleWritesAccepted).toBe(1);
  });

  it('counts all updates that one write has overlooked', () => {
    const found = check(
      history(
        bothHolds,
        writes(1, 101, 'B1', { open: [0, 1] }),
        writes(2, 102, 'B1', { open: [1, 2] }),
        writes(3, 103, 'A1', { open: [0, 3] }),
      ),
    );
    expect(found.figures?.lostUpdates).toBe(2);
  });

  it('is undecided when nobody came', () => {
    expect(check(history(bothHolds)).verdict).toBe('unknown');
  });

  it('is undecided when somebody came who was never granted the lock', () => {
    const found = check(history(bothHolds, reads(1, 1, 'A1', 0), writes(2, 2, 'Z9', { open: [0, 1] })));
    expect(found.verdict).toBe('unknown');
    expect(found.evidence[0]).toContain('Z9');
  });

  it('is damaged all the same when a stranger came as well', () => {
    const found = check(
      history(bothHolds, reads(1, 101, 'B1', 0), writes(2, 102, 'A1', { open: [0, 1] }), reads(3, 103, 'Z9', 1)),
    );
    expect(found.verdict).toBe('unsafe');
  });
});

describe('the register behind the guard', () => {
  const { check } = guardedRegister;
  const refused = { floor: '2' };

  it('is intact when the guard refuses the stale write, whatever happens to the other register', () => {
    const found = check(
      history(
        bothHolds,
        reads(1, 101, 'B1', 0, 0),
        writes(2, 102, 'B1', { open: [0, 1], guarded: [0, 1] }),
        writes(3, 103, 'A1', { open: [0, 2], guarded: [0, refused] }),
      ),
    );
    expect(found).toMatchObject({ verdict: 'safe', figures: { staleWritesRefused: 1, staleWritesPastGuard: 0 } });
    expect(found.evidence[0]).toContain('refused 1 stale write');
  });

  it('is damaged when a guard lets a stale write through', () => {
    const found = check(
      history(bothHolds, reads(1, 101, 'B1', 0, 0), writes(2, 102, 'A1', { open: [0, 1], guarded: [0, 1] })),
    );
    expect(found).toMatchObject({ verdict: 'unsafe', figures: { staleWritesPastGuard: 1 } });
  });

  it('is damaged when a guard that looks at writes only lets a value through that was read before', () => {
    // Both tokens are in order at every write; the update of A1 is lost all the same.
    const found = check(
      history(
        bothHolds,
        reads(1, 101, 'B1', 0, 0),
        writes(2, 102, 'A1', { open: [0, 1], guarded: [0, 1] }),
        writes(3, 103, 'B1', { open: [0, 2], guarded: [0, 2] }),
      ),
    );
    expect(found.evidence).toHaveLength(2);
    expect(found.evidence[1]).toContain('1 update');
  });

  it('does not count refused reads as writes', () => {
    const found = check(history(bothHolds, reads(1, 101, 'B1', 0, 0), reads(2, 102, 'A1', 0, refused)));
    expect(found).toMatchObject({ verdict: 'safe', figures: { staleWritesRefused: 0 } });
  });

  it('does not take a refused access for the arrival of a holder', () => {
    const found = check(
      history(bothHolds, reads(1, 1, 'B1', 0, refused), writes(2, 2, 'A1', { open: [0, 1], guarded: [0, 1] })),
    );
    expect(found.verdict).toBe('safe');
  });

  it('does not call a write stale that a guard refuses although nobody newer has come', () => {
    // The tokens went back, so the guard keeps the right holder out; the order of tokens is another check.
    const found = check(
      history(bothHolds, reads(1, 1, 'A1', 0, 0), writes(2, 101, 'B1', { open: [0, 1], guarded: [0, { floor: '9' }] })),
    );
    expect(found).toMatchObject({ figures: { staleWritesRefused: 0 } });
    expect(found.evidence[0]).toContain('0 writes');
  });

  it('is not asked of a lock without tokens', () => {
    expect(check(history(granted('A1', 0), reads(1, 1, 'A1', 0))).verdict).toBe('not-run');
  });

  it('is undecided when nobody came', () => {
    expect(check(history(bothHolds)).verdict).toBe('unknown');
  });
});
