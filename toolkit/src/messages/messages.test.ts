import { describe, expect, it } from 'vitest';
import { distance } from '../lab/checkers/distance.ts';
import { exposure } from '../lab/checkers/exposure.ts';
import { fencingOrder } from '../lab/checkers/fencing-order.ts';
import { handOver } from '../lab/checkers/hand-over.ts';
import {
  contends,
  failed,
  fault,
  granted,
  history,
  incomplete,
  reads,
  refused,
  released,
  type Said,
  writes,
} from '../lab/checkers/hand-written.testing.ts';
import { mutualExclusion } from '../lab/checkers/mutual-exclusion.ts';
import { guardedRegister, openRegister } from '../lab/checkers/protected-effects.ts';
import { queue } from '../lab/checkers/queue.ts';
import { recovery } from '../lab/checkers/recovery.ts';
import { sanity } from '../lab/checkers/sanity.ts';
import { service } from '../lab/checkers/service.ts';
import { survival } from '../lab/checkers/survival.ts';
import { headline } from '../lab/headline.ts';
import type { Figures, Result } from '../lab/result.ts';
import { momentsOf } from '../lab/timeline/timeline.ts';
import { advice as englishAdvice } from './en/advice.ts';
import { page as englishPage } from './en/page.ts';
import { sentences as englishSentences } from './en/sentences.ts';
import { terminal as englishTerminal } from './en/terminal.ts';
import { gapsOf } from './template.ts';
import { isKnown, translator } from './translate.ts';
import { advice as chineseAdvice } from './zh/advice.ts';
import { page as chinesePage } from './zh/page.ts';
import { sentences as chineseSentences } from './zh/sentences.ts';
import { terminal as chineseTerminal } from './zh/terminal.ts';

const toChinese = translator('zh');

describe('the texts in both languages', () => {
  it.each([
    ['advice', englishAdvice, chineseAdvice],
    ['page', englishPage, chinesePage],
    ['sentences', englishSentences, chineseSentences],
    ['terminal', englishTerminal, chineseTerminal],
  ] as const)('have the same keys and the same gaps: %s', (_, english, chinese) => {
    const gapsByKey = (texts: Readonly<Record<string, string>>): Record<string, string[]> =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, [...gapsOf(text)].sort()]));
    expect(gapsByKey(chinese)).toEqual(gapsByKey(english));
  });

  it('are never left in the other language', () => {
    for (const texts of [chineseAdvice, chinesePage, chineseSentences, chineseTerminal]) {
      for (const [key, text] of Object.entries(texts)) {
        if (key !== 'languageSwitch') expect(text.replaceAll(/\{\w+\}/g, ''), key).toMatch(/\p{Script=Han}|^\P{L}*$/u);
      }
    }
    for (const texts of [englishAdvice, englishPage, englishSentences, englishTerminal]) {
      for (const [key, text] of Object.entries(texts)) {
        if (key !== 'languageSwitch') expect(text, key).not.toMatch(/\p{Script=Han}/u);
      }
    }
  });
});

describe('a sentence of the lab', () => {
  it('keeps its values in Chinese', () => {
    expect(toChinese('Two holders at once for 1.72 s: A1 and B1 both believed it, from T+0.31s to T+2.03s.')).toBe(
      '同时有两个持有者，持续 1.72 s：从 T+0.31s 到 T+2.03s，A1 和 B1 都认为自己持有。',
    );
    expect(toChinese('B had the lock 2.81 s after the fault, at its 57th try.')).toBe(
      '故障后 2.81 s，B 在第 57 次尝试时拿到了锁。',
    );
  });

  it('is translated part by part, down to what stands inside it', () => {
    expect(toChinese('1 stale write went through, 2 updates lost. It has no token that a guard could check.')).toBe(
      '1 次过期写入被接受，2 次更新丢失。它没有令牌，守卫无从检查。',
    );
    expect(toChinese('is killed: kill -9, in the middle of its work (no process 31391)')).toBe(
      '被杀死：工作中途 kill -9（进程 31391 已不存在）',
    );
  });

  it('is known where servers restart, and where clocks jump', () => {
    const said = [
      'is killed: kill -9 (no process 1939)',
      'is there again: the same address, and nothing of what it knew (process 2216, 0 keys when it answered)',
      'is cut off: for A: nothing passes between them, and the connections stand (2 connections of A that carry nothing)',
      "has another time: its date is 6 s ahead from now on (its TIME is 6 s ahead of the machine's)",
      'redis-1, redis-2, redis-3 have the key',
    ];
    expect(said.filter((sentence) => !isKnown(sentence))).toEqual([]);
  });

  it('is known where a line is cut', () => {
    const said = [
      'is cut off: its line to the server is cut: what either sends is lost (the server still has 1 of its connections, and nothing to send on them)',
      'is cut off: asks for the lock, and its line to the server is cut while the answer is on it (the server has 71 bytes for it that are not acknowledged, and refuses B)',
      'has no connection to A any more',
      'cutting the line while an answer is on it',
      'A line that can be cut is a veth pair into a network namespace, which needs Linux, root and the program ip: unshare: unshare failed: Operation not permitted.',
    ];
    expect(said.filter((sentence) => !isKnown(sentence))).toEqual([]);
  });

  it('stays as it is when nobody knows it, with the known ones around it', () => {
    expect(toChinese('fatal: no quorum')).toBe('fatal: no quorum');
    expect(toChinese('The last try failed with: ECONNREFUSED 127.0.0.1:1')).toBe(
      '最后一次尝试失败：ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('is known, whatever a checker has to say about a history', () => {
    const histories = [
      history(),
      incomplete(granted('A1', 0), fault('kill', 'A', 5, 'missing')),
      history(granted('A1', 0), fault('kill', 'A', 5, 'failed'), contends('B', 10), failed('B', 20)),
      history(granted('A1', 0), reads(1, 1, 'A1', 0), writes(3, 2, 'A1', { open: [0, 1] }), contends('B', 5)),
      history(granted('A1', 0), fault('kill', 'A', 5), contends('B', 10), refused('B', 20), refused('B', 9_000)),
      history(
        granted('A1', 0, { token: '7' }),
        reads(1, 1, 'A1', 0, 0),
        writes(2, 2, 'A1', { open: [0, 1], guarded: [0, 1] }),
        fault('stop', 'A', 5),
        contends('B', 6),
        granted('B1', 100, { token: '6', asked: 50 }),
        reads(3, 101, 'B1', 1, 1),
        writes(4, 102, 'B1', { open: [1, 2], guarded: [1, 2] }),
        fault('continue', 'A', 110),
        writes(5, 111, 'A1', { open: [1, 3], guarded: [1, 3] }),
        reads(6, 112, 'A1', 3, { floor: '7' }),
        writes(7, 113, 'B1', { open: [2, 4], guarded: [2, { floor: '7' }] }),
        released('A1', 120),
        released('B1', 130),
      ),
    ];
    const rejected: Said[] = [
      [100, 'A', { f: 'release', type: 'invoke', op: 901, hold: 'A1' }],
      [101, 'A', { f: 'release', type: 'info', op: 901, hold: 'A1', error: 'no reply' }],
    ];
    const inVain: Said[] = [
      [50, 'B', { f: 'acquire', type: 'invoke', op: 902, name: 'x', ttlMs: 10_000, waitMs: 5_000 }],
      [5_050, 'B', { f: 'acquire', type: 'fail', op: 902 }],
    ];
    const early: Said[] = [
      [50, 'B', { f: 'acquire', type: 'invoke', op: 903, name: 'x', ttlMs: 10_000, waitMs: 5_000 }],
      [70, 'B', { f: 'acquire', type: 'fail', op: 903 }],
    ];
    const seen: Said = [
      15,
      'replica',
      { f: 'server', type: 'event', event: 'seen', says: 'has no key at all, so the lock is lost' },
    ];
    histories.push(
      history(granted('A1', 0), inVain, rejected),
      history(granted('A1', 0), inVain, released('A1', 5_000)),
      history(granted('A1', 0), early, released('A1', 60)),
      history(granted('A1', 0), fault('kill', 'primary', 10), seen, contends('B', 30), refused('B', 110)),
    );
    const checkers = [
      sanity,
      exposure,
      mutualExclusion,
      fencingOrder,
      openRegister,
      guardedRegister,
      recovery,
      handOver,
      service,
      survival,
      queue,
      distance,
    ];
    const said = histories.flatMap((one) => [
      ...checkers.flatMap(({ check }) => check(one).evidence),
      ...momentsOf(one).map(({ says }) => says),
    ]);
    expect(said.length).toBeGreaterThan(40);
    // What the hand-written faults say is no sentence of the lab.
    expect(said.filter((sentence) => !isKnown(sentence))).toEqual([]);
  });

  it('is known in every headline', () => {
    const result = (
      experiment: string,
      verdict: Result['verdict'],
      exclusion: Result['verdict'],
      figures: Figures,
    ): Result => ({
      experiment,
      subject: 'x',
      verdict,
      expected: verdict,
      figures,
      checks: [{ checker: 'mutual-exclusion', verdict: exclusion, evidence: [] }],
      evidence: [],
    });
    const damage = { overlapMs: 50, staleWritesAccepted: 2, lostUpdates: 1 };
    const headlines = [
      result('pause', 'unsafe', 'unsafe', damage),
      result('pause', 'unsafe', 'unsafe', { ...damage, tokensInOrder: false }),
      result('pause', 'unsafe', 'unsafe', { ...damage, tokensInOrder: true, staleWritesPastGuard: 2 }),
      result('pooler', 'unsafe', 'unsafe', { ...damage, grantsWhileHeld: 5 }),
      result('pause', 'safe', 'safe', { staleWritesRefused: 1 }),
      result('partition', 'safe', 'safe', { marginMs: 397 }),
      result('crash', 'safe', 'safe', { recoveryMs: 2_800, tries: 57 }),
      result('silent-cut', 'safe', 'safe', { recoveryMs: 14_900, tries: 1 }),
      result('silent-cut-answer', 'safe', 'safe', { recoveryMs: 15_100, tries: 150 }),
      result('etcd-lease', 'safe', 'safe', { handOverMs: 9, recoveryMs: 3_290, tries: 1 }),
      result('etcd-lease', 'safe', 'safe', { handOverMs: 9, recoveryMs: 3_290, tries: 4 }),
      result('zk-session', 'safe', 'safe', { lockKept: true, withoutServiceMs: 532 }),
      result('zk-session', 'unsafe', 'safe', { lockKept: false, withoutServiceMs: 532, ...damage }),
      result('herd', 'safe', 'safe', { waiters: 8, inversions: 0, handOverMs: 3, commandsPerHandover: 1.5 }),
      result('herd', 'safe', 'safe', { waiters: 8, inversions: 5, handOverMs: 30 }),
      result('distance', 'safe', 'safe', { roundTripMs: 21.4, pairRoundTrips: 2, handOverRoundTrips: 1.1 }),
      { ...result('pause', 'unsafe', 'unsafe', damage), rounds: { safe: 2, unsafe: 17, unknown: 1 } },
      { ...result('pause', 'safe', 'safe', {}), rounds: { safe: 7, unsafe: 0, unknown: 0, unsafeBelow: 3 / 7 } },
    ].map(headline);
    expect(headlines.filter((text) => !isKnown(text))).toEqual([]);
  });
});
