import type { terminal as english } from '../en/terminal.ts';

/** The same texts in Chinese. */
export const terminal: Readonly<Record<keyof typeof english, string>> = {
  safeAsExpected: '安全，与预期一致',
  unsafeAsExpected: '不安全，与预期一致',
  safeUnexpected: '安全，而预期为{verdict}',
  unsafeUnexpected: '不安全！而预期为{verdict}',
  moreFindings: '另有 {n} 条',
  notRun: '未运行：{what}。{reason}',
  allWith: '{experiments}（{subjects}）',
  counts: '{m} 个结论中 {n} 个与预期一致',
  countsOfOne: '1 个结论中 {n} 个与预期一致',
  countsUnexpected: '{n} 个不一致（标有 !）',
  countsUnknown: '{n} 个未知',
  meaning: '每个实验运行一次。“安全”指这次运行中有机会造成破坏却没有；“不安全”是一个反例。',
  oneClock: '这里所有时钟都属于同一台机器，因此彼此一致；多台机器的时钟未必如此。',
  took: '用时 {span}',
  started: '第 {n} 个，共 {m} 个，{title}；{outlook}',
  done: '{m} 个中已完成 {n} 个；{outlook}',
  outlook: '约剩 {n} 秒',
  outlookNext: '接着是 {title}；约剩 {n} 秒',
  reportAt: '图示与全部细节：{file}',
  resultsAt: '数据：{file}',
  judgedSame: '全部 {n} 个结论与当时的运行相同。',
  judgedOther: '{m} 个结论中有 {n} 个与当时的运行不同：',
  judgedOtherOne: '{experiment}（{subject}）：现为{verdict}，当时为{before}。',
  judgedKept: '{n} 个没有记录，保持原样。',
};
