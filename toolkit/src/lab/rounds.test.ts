import { describe, expect, it } from 'vitest';
import { headline } from './headline.ts';
import type { Result, Verdict } from './result.ts';
import { Rounds, worstOf } from './rounds.ts';
import type { Task } from './tasks.ts';

const result = (verdict: Verdict, tries = 0): Result => ({
  experiment: 'crash',
  subject: 'mine',
  verdict,
  expected: 'safe',
  figures: { tries },
  checks: [],
  evidence: [],
});

describe('a verdict over rounds', () => {
  it.each([
    [['safe', 'safe', 'safe'], 'safe', { safe: 3, unsafe: 0, unknown: 0 }],
    [['safe', 'unknown', 'safe'], 'unknown', { safe: 2, unsafe: 0, unknown: 1 }],
    [['unknown', 'unsafe', 'safe'], 'unsafe', { safe: 1, unsafe: 1, unknown: 1 }],
  ] as const)('of %j is %s', (verdicts, worst, rounds) => {
    expect(worstOf(verdicts.map((verdict) => result(verdict)))).toMatchObject({ verdict: worst, rounds });
  });

  it('says how often damage can be at most where there was none, and says nothing after three rounds or an unknown one', () => {
    const of = (...verdicts: Verdict[]): Result => worstOf(verdicts.map((verdict) => result(verdict)));
    const safe = (rounds: number): Verdict[] => Array<Verdict>(rounds).fill('safe');
    expect(of(...safe(20)).rounds).toEqual({ safe: 20, unsafe: 0, unknown: 0, unsafeBelow: 0.15 });
    expect(headline(of(...safe(7)))).toContain('So with 95 % confidence less than 42.9 % of rounds are unsafe.');
    expect(headline(of(...safe(10)))).toContain('less than 30 % of rounds');
    for (const none of [of(...safe(3)), of(...safe(20), 'unknown'), of(...safe(20), 'unsafe')]) {
      expect(none.rounds).not.toHaveProperty('unsafeBelow');
      expect(headline(none)).not.toContain('confidence');
    }
  });

  it('comes with the figures of the first round that found it', () => {
    expect(worstOf([result('safe', 1), result('unsafe', 2), result('unsafe', 3)]).figures.tries).toBe(2);
  });

  it('of one round says nothing of rounds', () => {
    expect(worstOf([result('safe')])).toEqual(result('safe'));
  });
});

describe('rounds', () => {
  // Of a task, only whether it can take place matters here.
  const task = (notRun?: string): Task => ({ notRun }) as Task;

  it('run each task so often, and one that cannot take place once', () => {
    const rounds = new Rounds([task(), task('no server'), task()], 3);
    expect(rounds.plays.map(({ notRun }) => notRun)).toEqual([
      undefined,
      undefined,
      undefined,
      'no server',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('give a result when the last of a task has one, whatever the order', () => {
    const [one, other] = [task(), task()] as const;
    const rounds = new Rounds([one, other], 2);
    const [a, b, c, d] = rounds.plays as [Task, Task, Task, Task];
    expect(rounds.add(c, result('safe'))).toBeUndefined();
    expect(rounds.add(b, result('safe'))).toBeUndefined();
    expect(rounds.add(a, result('unsafe'))).toMatchObject({ task: one, result: { verdict: 'unsafe' } });
    expect(rounds.results()).toHaveLength(1);
    expect(rounds.add(d, result('safe'))?.task).toBe(other);
    expect(rounds.results().map(({ verdict }) => verdict)).toEqual(['unsafe', 'safe']);
    expect(rounds.all().map(({ verdict }) => verdict)).toEqual(['unsafe', 'safe', 'safe', 'safe']);
  });
});
