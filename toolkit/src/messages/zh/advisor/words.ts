/** What stands around the answers, on a terminal and on the page, and the sentences with numbers. */
export const words: Readonly<Record<string, string>> = {
  Why: '为什么',
  Settings: '设置',
  First: '先做好',
  Instead: '可以改用',
  'What remains unsafe, and what the business does about it': '仍不安全之处，以及业务一侧要做的事',
  'What to look out for': '需要留意',
  'What it costs': '代价',
  'One different input, and it is another answer': '只改一项，答案就会不同',
  'Assumed, since it was not said': '没有说明、按假定处理的',
  'otherwise ': '否则，',
  ', or ': '，或 ',
  '{n} others': '其他 {n} 项',

  'without {value}': '不含 {value}',
  'with {value}': '加上 {value}',
  'above {limit}': '高于 {limit}',
  'below {limit}': '低于 {limit}',
  '{limit} or more': '至少 {limit}',
  '{limit} or less': '至多 {limit}',

  "TTL {ttl}, renewed all the time. A killed holder's lock is free at once; a holder that is paused for up to {pause} keeps it.":
    'TTL {ttl}，一直续期。持有者被杀死，锁立即可用；持有者停顿不超过 {pause} 时仍保有它。',
  "TTL {ttl}, renewed all the time. A killed holder's lock is free after {span} at the latest; a holder that is paused for up to {pause} keeps it.":
    'TTL {ttl}，一直续期。持有者被杀死，锁最迟 {span} 后可用；持有者停顿不超过 {pause} 时仍保有它。',
  'Held for {span}, one lock lets at most {n} holders a second through.':
    '每次持有 {span}，一把锁每秒最多让 {n} 个持有者通过。',
  'Held for {span}, one lock lets at most {n} holders a second through: the peak of {peak}/s needs {lines} different locks at least.':
    '每次持有 {span}，一把锁每秒最多让 {n} 个持有者通过：高峰的 {peak}/s 至少需要 {lines} 把不同的锁。',
  'The longest pause ({pause}) is more than this lease rides out for certain ({span}): such a holder loses the lock.':
    '最长停顿（{pause}）超过这份租约一定撑得过的（{span}）：这样的持有者会失去锁。',
  'The check at the resource, below; or a TTL of {span} and more, at the price of waiting that long for a holder that has died.':
    '用下面所说的资源一侧的检查；或把 TTL 设为 {span} 以上，代价是持有者死后要等这么久。',
  'The lock of a killed holder may be free only after {span}, and not within {wished}: its server gives no shorter TTL as it is delivered.':
    '持有者被杀死后，锁可能要 {span} 才可用，而不是 {wished} 之内：它的服务器在默认配置下给不出更短的 TTL。',
  'A free lock is wanted within {wished}, and servers that agree by majority need {least} and more: that is not met.':
    '要求在 {wished} 之内取到空闲的锁，而多数派一致的服务器需要 {least} 以上：做不到。',
  'Wait longer rather than take a lock that can be given to two. Or take the lock before its holder needs it, keep one lease for many acts, or let the resource compare a fencing token: then a fast lock on Redis does no harm.':
    '宁可多等，也不要换成可能给了两个人的锁。或者在需要之前就取锁，用一份租约做许多操作，或让资源一侧比较栅栏令牌：那样 Redis 上的快锁没有害处。',
  'Let nothing under the lock block its process for longer than {span}: what cannot run cannot renew. Longer computations go to a worker thread, or are done in pieces.':
    '持锁期间，不要让任何东西把进程阻塞超过 {span}：不能运行就不能续期。更长的计算放到工作线程，或分段进行。',
  'A backend that frees at once (the embedded file, a session lock), or a server with shorter ticks.':
    '换用立即释放的后端（嵌入式文件、会话锁），或把服务器的节拍设短。',

  'Measured: {about}': '实测：{about}',
  'This benchmark has not measured this one.': '这次基准测试没有测过它。',
  'In rate and latency: not measured on this machine.': '速率与延迟：未在这台机器上测过。',
  'Assumed: up to {n}/s, and {ms} ms or more for each lock; a convention of the field.':
    '假定：至多 {n}/s，每次取锁 {ms} ms 以上；这是业内的惯例。',
  'One process with 64 locks at once reached less than 1,000/s with three servers beside it, on another machine of two processors; one after the other a lock and its release took 5 to 7 ms at the median.':
    '在另一台双处理器的机器上，三台服务器同机，一个进程同时取 64 把锁不到 1,000/s；逐个进行时，取锁加释放的中位数为 5 到 7 ms。',
  'Assumed: up to {n}/s, less than two thirds of the slowest round of MariaDB with 64 locks at once on another machine.':
    '假定：至多 {n}/s，不到另一台机器上 MariaDB 同时取 64 把锁时最慢一轮的三分之二。',
  'Assumed: up to {n}/s, less than half of what one process reached on another machine.':
    '假定：至多 {n}/s，不到另一台机器上单个进程所达到的一半。',
  '`{command}` does that, and then it stands here.': '`{command}` 可以测，之后结果就显示在这里。',
  'Do that with your own load before you rely on it.': '在依赖它之前，请用自己的负载测一测。',
  '{where}: {how}: {n}/s ({min} to {max}){latency}.': '{where}：{how}：{n}/s（{min} 到 {max}）{latency}。',
  'one after the other': '逐个进行',
  '{names} different locks at once, from one process': '同时 {names} 把不同的锁，来自一个进程',
  '{where}: handed over among {waiters} waiters in {processes} processes: p50 {p50} ms.':
    '{where}：在 {processes} 个进程的 {waiters} 个等待者之间交接：p50 {p50} ms。',
  'The peak of {peak}/s is {n} % of the best of these.': '高峰的 {peak}/s 是其中最高值的 {n} %。',
  'The peak of {peak}/s is {n} times the best of these: it takes several processes, and where the server is the limit several servers, each with a part of the names.':
    '高峰的 {peak}/s 是其中最高值的 {n} 倍：需要多个进程；若瓶颈在服务器，则需要多台服务器，各管一部分名字。',
  '{cpuModel}, {cpus} processors, Node {node}, everything on one machine; {date}, {rounds} rounds of `{command}`, median (least to most).':
    '{cpuModel}，{cpus} 个处理器，Node {node}，全部在一台机器上；{date}，`{command}` {rounds} 轮，中位数（最小到最大）。',

  'no server: the core by itself': '没有服务器：只有核心',
  'no server: a file, not flushed': '没有服务器：一个文件，不刷盘',
  'one server': '单台服务器',
  'one server, in memory only': '单台服务器，只在内存',
  'one server, appendfsync always': '单台服务器，appendfsync always',
  'five Redis servers, in memory only': '五台 Redis，只在内存',
  'one member, flushes each write': '一个成员，每次写入刷盘',
  'three members, each flushes each write': '三个成员，各自每次写入刷盘',
  'one server, flushes each write': '单台服务器，每次写入刷盘',
  'three servers, each flushes each write': '三台服务器，各自每次写入刷盘',
  'flushes each commit': '每次提交刷盘',
  'MariaDB, flushes each commit': 'MariaDB，每次提交刷盘',

  '{pair}; hand-over: {handOver}': '{pair}；交接：{handOver}',
  'SET NX PX, compare-and-delete': 'SET NX PX、比较后删除',
  'SET NX PX, compare-and-delete, on all': 'SET NX PX、比较后删除，所有服务器',
  'put and delete that compare the revision': '比较 revision 的 put 与 delete',
  'create and delete of an ephemeral node': '临时节点的创建与删除',
  'upsert and update of a row': '一行的 upsert 与 update',
  'a watch on the one before': '监视前一个',
  "etcd's lock service": 'etcd 的锁服务',
  BLPOP: 'BLPOP',
  pg_advisory_lock: 'pg_advisory_lock',
  GET_LOCK: 'GET_LOCK',

  'Press Enter for what stands in brackets.': '直接按回车，取方括号里的值。',
  'The same again:': '再来一次：',
  'The questions were not answered to the end.': '问题没有答完。',
  'There is no terminal to ask on. Say with options or with --input what the lock is for, such as --protects data --peak 500.':
    '没有可以提问的终端。请用选项或 --input 说明锁的用途，例如 --protects data --peak 500。',
  'The input must be a JSON object, such as {example}.': '输入必须是 JSON 对象，例如 {example}。',
  'There is no input {key}; there are {known}.': '没有 {key} 这一项；有 {known}。',
  'a second': '每秒',
  'such as 500ms or 30s': '例如 500ms 或 30s',
  'several, with commas': '可选多项，用逗号隔开',
  'The rate': '速率',
  'The time': '时间',
  'The answer': '答案',
  'Each answer': '每个答案',
  '{called} must be a list, such as ["etcd"], and is {value}.': '{called}必须是列表，例如 ["etcd"]，而不是 {value}。',
  '{called} must be a rate per second, of at least {least}, and is {value}.':
    '{called}必须是每秒的速率，至少 {least}，而不是 {value}。',
  '{called} must be a number of milliseconds, of at least {least}, and is {value}.':
    '{called}必须是毫秒数，至少 {least}，而不是 {value}。',
  '{called} is one of {possible}, and not {value}.': '{called}必须是 {possible} 之一，而不是 {value}。',
  '{called} must be a rate per second, such as 500 or 5k, and is {value}.':
    '{called}必须是每秒的速率，例如 500 或 5k，而不是 {value}。',
  '{called} must have its unit, such as {one} or {other}, and is {value}.':
    '{called}必须带单位，例如 {one} 或 {other}，而不是 {value}。',
};
