import type { History } from './history.ts';
import { type Check, conclude, type Figures, type Result } from './result.ts';
import type { Task } from './tasks.ts';
import { momentsOf } from './timeline/timeline.ts';

/** What one must know of a task to judge what came of it. */
export interface Judged extends Pick<Task, 'experiment' | 'expected'> {
  readonly subject: Pick<Task['subject'], 'name'>;
}

/** Makes a result of a history: all checks, one verdict. A stored history can be judged again. */
export function judge({ experiment, subject, expected }: Judged, history: History): Result {
  const figures: Figures = {};
  const checks: Check[] = [];
  for (const { id, check } of experiment.checkers) {
    const { figures: found, ...finding } = check(history);
    checks.push({ checker: id, ...finding });
    Object.assign(figures, found);
  }
  const run = history.entries.find((entry) => entry.f === 'run');
  return {
    experiment: experiment.id,
    subject: subject.name,
    ...conclude(checks, experiment),
    expected,
    ...(run ? { ttlMs: run.ttlMs } : {}),
    figures,
    checks,
    evidence: momentsOf(history),
  };
}
