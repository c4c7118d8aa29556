/**
 * Acquires and releases locks that nobody else wants, in slices, with one subject.
 *
 * @module
 */
import { pairSlice } from '../pair-slices.ts';
import { PAIR_SUBJECTS } from '../pair-subjects.ts';
import { answerQuestions } from '../worker.ts';

await answerQuestions<'pairs'>(async ({ subject, url }) => {
  const opened = await PAIR_SUBJECTS[subject].open(url);
  return (slice) => pairSlice((index) => opened.pair(index), slice);
});
