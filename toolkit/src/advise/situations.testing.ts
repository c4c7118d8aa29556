import fc from 'fast-check';
import { type Input, QUESTIONS, type Situation } from './situation.ts';
import { contradictionsOf } from './way.ts';

const rates = [0, 0.01, 1, 10, 50, 499, 500, 501, 999, 1_000, 1_001, 5_000, 5_001, 100_000];
const times = [1, 2, 5, 20, 49, 50, 100, 1_000, 10_000, 30_000, 120_000];

/** Whole situations that do not contradict themselves. */
export const situations: fc.Arbitrary<Situation> = fc
  .record(
    Object.fromEntries(
      QUESTIONS.map((question) => {
        if (question.kind === 'choice')
          return [question.input, fc.constantFrom(...question.options.map(({ value }) => value))];
        if (question.kind === 'list')
          return [
            question.input,
            fc.subarray(
              question.options.map(({ value }) => value),
              { maxLength: Math.min(3, question.options.length) },
            ),
          ];
        return [
          question.input,
          fc.constantFrom(...(question.kind === 'rate' ? rates : times).filter((value) => value >= question.least)),
        ];
      }),
    ) as unknown as { [I in Input]: fc.Arbitrary<Situation[I]> },
  )
  .filter((situation) => contradictionsOf(situation).length === 0);
