import { describe, expect, it } from 'vitest';
import { LockError, OutcomeUnknownError } from '../../core/errors.ts';
import { Patience } from './patience.ts';
import type { Voter } from './voter.ts';
import { askAll, majority, tally, type Vote } from './votes.ts';

const servers = [1, 3, 4, 5, 7, 31];

describe('a majority', () => {
  it.each(servers)('of %i has a server in common with every other', (count) => {
    expect(2 * majority(count)).toBeGreaterThan(count);
    expect(2 * (majority(count) - 1)).toBeLessThanOrEqual(count);
  });

  it.each(servers)('of %i is decided once, and never both ways', (count) => {
    for (let yes = 0; yes <= count; yes++) {
      for (let no = 0; yes + no <= count; no++) {
        const decision = tally({ yes, no }, count);
        expect(decision === 'yes').toBe(yes >= majority(count));
        const best = count - no;
        expect(decision === 'no').toBe(best < majority(count));
        if (yes + no === count) expect(decision).not.toBe('open');
      }
    }
  });
});

describe('a question to all', () => {
  const five = ['a', 'b', 'c', 'd', 'e'] as unknown as readonly Voter[];
  const never = new Promise<string>(() => undefined);
  const yes = (answer: string): boolean => answer === 'yes';
  const ask = (answers: readonly (Vote | Promise<string>)[]) => {
    const heard: unknown[] = [];
    const asked = askAll(
      five,
      {
        ask: (voter, _, tell) => {
          const answer = answers[five.indexOf(voter)] as Vote | Promise<string>;
          if (answer instanceof Promise) void answer.then(tell);
          else tell(answer);
        },
        isYes: yes,
        onVote: (_, vote) => heard.push(vote),
      },
      { limitMs: 30, patience: new Patience(30) },
    );
    return { asked, heard };
  };

  it('is decided by the third yes, and hears the others later', async () => {
    let late: (answer: string) => void = () => undefined;
    const { asked, heard } = ask([never, new Promise<string>((resolve) => (late = resolve)), 'yes', 'yes', 'yes']);
    expect(await asked).toMatchObject({ decision: 'yes', yes: 3, no: 0, answered: 3 });
    late('no');
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(['yes', 'yes', 'yes', 'no']);
  });

  it('is decided by the third no', async () => {
    expect(await ask([never, 'no', 'no', never, 'no']).asked).toMatchObject({ decision: 'no', no: 3 });
  });

  it('is open when the time is over, and errors are no votes', async () => {
    const [away, gone] = [new LockError('ACCESS_DENIED', 'no'), new OutcomeUnknownError('socket closed')];
    const { asked } = ask(['yes', 'yes', away, gone, never]);
    const outcome = await asked;
    expect(outcome).toMatchObject({ decision: 'open', yes: 2, no: 0, answered: 2 });
    expect(outcome.votes[2]).toBe(away);
    expect(outcome.votes[3]).toBe(gone);
    expect(outcome.votes[4]).toBeUndefined();
  });

  it('does not wait for the time where all have answered', async () => {
    const askedAt = performance.now();
    const down = new OutcomeUnknownError('down');
    await askAll(
      five,
      { ask: (_voter, _isOver, tell) => tell(down), isYes: yes },
      { limitMs: 20_000, patience: new Patience(30) },
    );
    expect(performance.now() - askedAt).toBeLessThan(2_000);
  });
});
