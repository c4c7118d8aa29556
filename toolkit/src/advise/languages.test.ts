import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BACKENDS } from '../bench/backends.ts';
import { inEnglish, type Say, sayIn } from '../messages/say.ts';
import { gapsOf } from '../messages/template.ts';
import { advisor as chinese } from '../messages/zh/advisor/all.ts';
import { type Advice, advise } from './advice.ts';
import { adviceLines, wrapped } from './advice-text.ts';
import { ANSWERS, DUTIES } from './answers.ts';
import { benchOfAll, benchOfRedis } from './bench.testing.ts';
import { readBenchFigures } from './bench-figures.ts';
import { interview } from './interview.ts';
import { CONTRADICTIONS } from './rules.ts';
import { QUESTIONS, type Told } from './situation.ts';
import { situations } from './situations.testing.ts';
import { toldFromJson } from './told.ts';
import { treeLines } from './tree-text.ts';
import { FORKS } from './way.ts';
import { comparedText, neighboursOf, unmeasured } from './wording.ts';

const inChinese = sayIn('zh');
const plain = { bold: same, dim: same, good: same, bad: same };

function same(text: string): string {
  return text;
}

/** Every English text that stands in the data, whether a situation shows it or not. */
function textsOfTheRules(): string[] {
  const notes = [
    ...Object.values(ANSWERS).flatMap(({ setUp, cost, risks }) => [...setUp, ...cost, ...risks]),
    ...DUTIES,
  ];
  return [
    ...QUESTIONS.flatMap(({ ask, called }) => [ask, called]),
    ...QUESTIONS.flatMap((question) => ('options' in question ? question.options.map(({ label }) => label) : [])),
    ...FORKS.flatMap(({ says, because }) => [says, because.yes, because.no]),
    ...CONTRADICTIONS.map(({ says }) => says),
    ...Object.values(ANSWERS).flatMap(({ title, summary }) => [title, summary]),
    ...notes.flatMap((note) => [note.text, 'remedy' in note ? String(note.remedy) : note.text]),
  ];
}

/** What is said beside that, by everything that says something, over many situations. */
async function textsThatAreSaid(): Promise<string[]> {
  const asked = new Set<string>();
  const listen: Say = (english, values) => {
    asked.add(english);
    return inEnglish(english, values);
  };
  for (const [index, situation] of fc.sample(situations, { numRuns: 200, seed: 5 }).entries()) {
    const bench = [benchOfRedis, readBenchFigures(benchOfAll), undefined][index % 3];
    const advice = advise(situation, bench, listen);
    // Lines take long to wrap; those of a few say what all say, but for long lists.
    const isLong = neighboursOf(advice).some(({ turns }) => turns.length > 4);
    if (index % 8 === 0 || isLong) adviceLines(advice, 80, plain, listen);
  }
  for (const told of [{}, { runsOn: 'one-machine', peakPerSecond: 5 } as const]) {
    adviceLines(advise(told, undefined, listen), 80, plain, listen);
  }
  for (const told of oneOfEach) advise(told, undefined, listen);
  for (const { backend } of Object.values(ANSWERS)) unmeasured(backend, listen);
  treeLines(listen);
  // To each kind of question something wrong, and then nothing.
  const wrong = new Map([
    ['a second', 'many'],
    ['such as', '50'],
    ['several', 'x'],
    ['[', '9'],
  ]);
  await interview(
    {
      say: () => {},
      ask: async (prompt) => {
        const [kind, answer] = [...wrong].find(([part]) => prompt.includes(part)) ?? ['', ''];
        wrong.delete(kind);
        return answer;
      },
    },
    listen,
  );
  expect([...wrong.keys()]).toEqual([]);
  for (const document of [
    [],
    { peek: 1 },
    { servers: 'x' },
    { peakPerSecond: -1 },
    { holdMs: -1 },
    { protects: 'x' },
  ]) {
    expect(() => toldFromJson(document, listen)).toThrow();
  }
  for (const { raw, rawHandOver } of BACKENDS) {
    if (raw !== undefined) comparedText(rawHandOver === undefined ? raw : `${raw}; hand-over: ${rawHandOver}`, listen);
  }
  // How servers were started is what benchmarks say, and more of it than these two.
  return [...asked, ...STARTED];
}

/** The comments of every program stand in some of these. */
const oneOfEach: readonly Told[] = (['data', 'work', 'leader', 'job'] as const).flatMap((protects) =>
  (['postgres', 'mysql', 'redis', 'etcd', 'service', 'other'] as const).flatMap((writesTo) =>
    (['redis', 'redis-replicas', 'etcd', 'postgres'] as const).map((server): Told => {
      const needed = { postgres: 'postgres', mysql: 'mysql', redis: 'redis', etcd: 'etcd' } as const;
      const also = writesTo in needed ? [needed[writesTo as keyof typeof needed]] : [];
      const servers = [...new Set([server, ...also])];
      return { protects, writesTo, resource: 'compare-token', failure: 'repairable', servers, skills: ['etcd'] };
    }),
  ),
);

const STARTED = ['one server', ...BACKENDS.map(({ what }) => what)];

/** Said by the command around it, and by nothing that runs here. */
const OF_THE_COMMAND = [
  'Press Enter for what stands in brackets.',
  'The same again:',
  'The questions were not answered to the end.',
  'There is no terminal to ask on. Say with options or with --input what the lock is for, such as --protects data --peak 500.',
];

const NAMES = ['PostgreSQL', 'Redis', 'etcd', 'ZooKeeper', 'BLPOP', 'pg_advisory_lock', 'GET_LOCK'];

describe('the advisor in Chinese', () => {
  it('has a text for everything that is said in English, with the same gaps, and no text for anything else', async () => {
    const english = new Set([...textsOfTheRules(), ...(await textsThatAreSaid()), ...OF_THE_COMMAND]);
    const gaps = (text: string): string => [...gapsOf(text)].sort().join();
    expect([...english].filter((text) => chinese[text] === undefined)).toEqual([]);
    expect(Object.keys(chinese).filter((text) => !english.has(text))).toEqual([]);
    expect(Object.entries(chinese).filter(([text, said]) => gaps(text) !== gaps(said))).toEqual([]);
  });

  it('is never left in the other language', () => {
    const isChinese = (text: string): boolean => /\p{Script=Han}/u.test(text);
    expect(Object.values(chinese).filter((text) => !isChinese(text) && !NAMES.includes(text))).toEqual([]);
    expect(Object.keys(chinese).filter(isChinese)).toEqual([]);
  });

  it('quotes the same code, and the same numbers', () => {
    const quoted = (text: string): string => [...text.matchAll(/`[^`]*`|\d[\d,.]*\d/g)].map(String).sort().join(' ');
    expect(Object.entries(chinese).filter(([text, said]) => quoted(text) !== quoted(said))).toEqual([]);
  });

  it('gives the same advice, in lines that fit', () => {
    for (const situation of fc.sample(situations, { numRuns: 12, seed: 6 })) {
      const [english, said] = [advise(situation), advise(situation, undefined, inChinese)];
      expect(shapeOf(said)).toEqual(shapeOf(english));
      const lines = adviceLines({ ...said, code: [] }, 72, plain, inChinese);
      expect(lines.filter((line) => columns(line) > 72 && !/`[^`]*`|\[[^\]]*\]/.test(line))).toEqual([]);
      expect(lines.filter((line) => /^\s*[，。；：！？、）”》]/.test(line))).toEqual([]);
    }
  });

  it('asks and complains in Chinese', async () => {
    const said: string[] = [];
    const answers = ['dtaa', 'work'];
    await interview({ say: (line) => said.push(line), ask: async () => answers.shift() ?? '' }, inChinese);
    expect(said[0]).toBe('这把锁用来做什么？');
    expect(said).toContain('  答案必须是 data, work, leader, job 之一，而不是 "dtaa"。');
    expect(() => advise({ usualPerSecond: 500, peakPerSecond: 100 }, undefined, inChinese)).toThrow(
      '高峰低于平时的速率。',
    );
  });

  it('breaks lines between characters, and not before a mark or inside a quotation', () => {
    expect(wrapped('设 `maxmemory-policy noeviction`，或给锁一台专用的 Redis。', 20)).toEqual([
      '设',
      '`maxmemory-policy noeviction`，',
      '或给锁一台专用的',
      'Redis。',
    ]);
  });
});

/** Everything but the words. */
function shapeOf({
  answer,
  settings,
  situation,
  assumed,
  reasons,
  turns,
  risks,
  cost,
  setUp,
  duties,
  code,
}: Advice): unknown {
  return {
    ...{ answer, settings, situation, assumed },
    reasons: reasons.map(({ fork, took }) => [fork, took]),
    turns: turns.map(({ input, value, answer: there, fork }) => [input, value, there, fork]),
    notes: [risks, cost, setUp, duties].map((notes) => notes.map(({ see }) => see)),
    code: code.map(({ text }) => text.replace(/\/\/ .*$|\/\*\* .* \*\/$/gm, '')),
  };
}

function columns(line: string): number {
  return [...line].reduce((sum, character) => sum + (/[\u2e80-\u9fff\uff00-\uff60“”]/.test(character) ? 2 : 1), 0);
}
