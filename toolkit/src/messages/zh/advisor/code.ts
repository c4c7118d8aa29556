/** Titles and comments of the code in an answer. */
export const code: Readonly<Record<string, string>> = {
  'In Node.js': 'Node.js 代码',
  'As a command, for a program in any language': '作为命令，用于任何语言的程序',

  'From Node 22.13 on: new DatabaseSync(path), from node:sqlite.':
    '从 Node 22.13 起：new DatabaseSync(path)，来自 node:sqlite。',
  'once, or `holdfast migrate`': '只需一次，或用 `holdfast migrate`',
  'leases of 10 s': '租约为 10 s',
  'no grant before a replica has it': '副本拿到之前不算授予',
  'before the first read': '在第一次读之前',
  'Check and write in one step:': '检查与写入一步完成：',
  'etcd refuses the write once the lock is gone.': '锁一旦失去，etcd 就拒绝写入。',
  'there: checkFencingToken of holdfast/guards/http': '那一侧：holdfast/guards/http 的 checkFencingToken',
  once: '只需一次',
  'Before the first read:': '在第一次读之前：',
  'and what else belongs to it': '以及属于它的其他写入',
  'a stale token, too, comes here': '过期的令牌也会到这里',
  'reads the clock: right before you write': '读时钟：紧挨在写入之前',
  'Your transaction on the same etcd, which compares this, too.': '你在同一个 etcd 上的事务，也比较这一项。',
  'Your work: hand on the token, and stop when the signal aborts.': '你的工作：把令牌传下去，signal 中止时停下。',
  'Your work: stop when the signal aborts.': '你的工作：signal 中止时停下。',
  'It leads until this returns; only then the lock is given back.': '在它返回之前一直是领导者；返回之后才归还锁。',
  'null: somebody else is at it, and there is nothing to do here.': 'null：别人正在做，这里没有事要做。',
};
