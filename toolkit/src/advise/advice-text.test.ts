import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Advice, advise } from './advice.ts';
import { adviceLines, wrapped } from './advice-text.ts';
import { ANSWERS, type AnswerId } from './answers.ts';
import { benchOfRedis as bench, benchOfAll } from './bench.testing.ts';
import { NotABenchResult, readBenchFigures } from './bench-figures.ts';
import { measuredLines } from './measured.ts';
import { InputError, parseRate, toldFromJson } from './told.ts';
import { treeLines } from './tree-text.ts';

const plain = {
  bold: (text: string) => text,
  dim: (text: string) => text,
  good: (text: string) => text,
  bad: (text: string) => text,
};
const text = (advice: Advice, width = 80): string => adviceLines(advice, width, plain).join('\n');
/** On one line, however it is wrapped. */
const inOneLine = (advice: Advice): string => text(advice).replace(/\s+/g, ' ');

describe('the text of an advice', () => {
  it('stays within 80 and within 60 columns, code aside, whatever the answer', () => {
    const answers = new Set<AnswerId>();
    const tooWide: string[] = [];
    for (const failure of ['incident', 'harmless', 'unsure'] as const) {
      for (const server of ['redis', 'redis-independent', 'etcd', 'zookeeper', 'postgres'] as const) {
        const advice = advise({ failure, servers: [server], skills: server === 'etcd' ? ['etcd'] : [] });
        answers.add(advice.answer);
        for (const width of [60, 80]) {
          const lines = adviceLines({ ...advice, code: [] }, width, plain);
          // What is quoted is not divided.
          tooWide.push(...lines.filter((line) => line.length > width && !/`[^`]*`|\[[^\]]*\]/.test(line)));
        }
      }
    }
    expect(tooWide).toEqual([]);
    expect(answers.size).toBeGreaterThan(6);
  });

  it('says what it was not told', () => {
    expect(text(advise({ protects: 'work', servers: ['redis'] }))).toMatch(
      /Assumed, since it was not said\nfailure harmless · resource nothing/,
    );
  });

  it('ends as it begins, with the answer, so that it stands above the prompt', () => {
    const advice = advise({ protects: 'work', servers: ['redis'] });
    const lines = text(advice).split('\n');
    expect([lines[0], lines.at(-1)]).toEqual([advice.title, `→ ${advice.title}`]);
  });

  it('says that nothing was measured, and how to measure', () => {
    expect(text(advise({ servers: ['redis'], protects: 'work' }))).toContain('not measured on this machine');
  });

  it('says what it costs here, as the benchmark has measured it', () => {
    const shown = inOneLine(advise({ servers: ['redis'], protects: 'work', peakPerSecond: 5_000 }, bench));
    expect(shown).toContain(
      'redis 7.0.15, one server: one after the other: 2,000/s (1,000 to 4,000), p50 0.40 ms, p99 0.90 ms.',
    );
    expect(shown).toContain('handed over among 10 waiters in 4 processes: p50 0.80 ms.');
    expect(shown).toContain('The peak of 5,000/s is 25 % of the best of these.');
    expect(shown).not.toContain('not measured on this machine');
  });

  it('says where the peak is above what was measured', () => {
    expect(measuredLines(bench, 'redis', 100_000).at(-1)).toMatch(
      /^The peak of 100,000\/s is 5\.0 times the best of these/,
    );
  });

  it('does not pass figures of Redis off as those of etcd', () => {
    const shown = text(advise({ servers: ['etcd'], skills: ['etcd'] }, bench));
    expect(shown).toContain('This benchmark has not measured this one.');
    expect(shown).not.toContain('2,000/s');
  });

  it('reads what the benchmark of all backends has written', () => {
    const all = readBenchFigures(benchOfAll);
    expect(inOneLine(advise({ servers: ['etcd'], skills: ['etcd'] }, all))).toContain(
      'etcd 3.4.23, three members, each flushes each write: one after the other: 300/s (150 to 600), p50 3.00 ms',
    );
    expect(measuredLines(all, 'sql-session', 10)).toEqual([]);
  });

  it('does not divide what is quoted', () => {
    expect(wrapped('say `holdfast run x` now', 10)).toEqual(['say', '`holdfast run x`', 'now']);
  });
});

describe('the tree as text', () => {
  it('has every answer with its title', () => {
    const lines = treeLines();
    for (const [id, { title }] of Object.entries(ANSWERS)) {
      expect(
        lines.some((line) => line.endsWith(`→ ${id}`)),
        id,
      ).toBe(true);
      expect(
        lines.some((line) => line.startsWith(id) && line.endsWith(title)),
        id,
      ).toBe(true);
    }
  });

  it('stands in the documentation as it is', () => {
    const page = readFileSync(new URL('../../../docs/advise.md', import.meta.url), 'utf8');
    expect(page, 'holdfast advise --tree prints what belongs there').toContain(
      `\`\`\`text\n${treeLines().join('\n')}\n\`\`\``,
    );
  });
});

describe('inputs from outside', () => {
  it.each([
    ['a list', [], 'must be a JSON object'],
    ['an input that does not exist', { peek: 1 }, 'There is no input "peek"; there are protects'],
    [
      'a choice that does not exist',
      { protects: 'money' },
      '"protects" is one of data, work, leader, job, and not "money".',
    ],
    ['a server that does not exist', { servers: ['mongo'] }, '"servers" is one of redis,'],
    ['a text for a list', { servers: 'redis' }, 'must be a list'],
    ['a text for a rate', { peakPerSecond: '5k' }, 'must be a rate per second'],
    ['a negative rate', { peakPerSecond: -1 }, 'of at least 0, and is -1'],
    ['a time below what makes sense', { budgetMs: 0 }, 'of at least 1, and is 0'],
  ])('are refused: %s', (_what, document, complaint) => {
    expect(() => toldFromJson(document)).toThrow(InputError);
    expect(() => toldFromJson(document)).toThrow(complaint);
  });

  it('may have rates in thousands', () => {
    expect(['5k', '0.5', '500/s'].map((rate) => parseRate('--peak', rate))).toEqual([5_000, 0.5, 500]);
    expect(() => parseRate('--peak', 'many')).toThrow(
      '--peak must be a rate per second, such as 500 or 5k, and is "many".',
    );
  });

  it('are no benchmark, if they are something else', () => {
    expect(() => readBenchFigures({ version: 2 })).toThrow(NotABenchResult);
    expect(() => readBenchFigures(null)).toThrow(NotABenchResult);
  });
});
