/** The answers: what is recommended, what it costs, what remains unsafe, and what the business has to do. */
export const answers: Readonly<Record<string, string>> = {
  // What no lease can prevent.
  'A holder that is paused for longer than its TTL goes on when it wakes, and makes the write that it was about to make.':
    '停顿超过 TTL 的持有者醒来后会继续，完成它正要做的那次写入。',
  'Present the fencing token before the first read, as in the code: the late write is then refused.':
    '像代码里那样，在第一次读之前出示栅栏令牌：迟到的写入就会被拒绝。',
  'The same act done twice is dropped by its number. Two different acts that have both read before either wrote (two orders for the last piece) are not: make that write conditional, or let the resource compare the token.':
    '同一个操作做两遍，会凭编号被丢弃。两个不同的操作都在对方写之前读过（两张订单争最后一件），则不会：让那次写入带条件，或让资源一侧比较令牌。',
  'Make every write of the holder conditional, on the version that it has read or on its token.':
    '让持有者的每次写入都带条件：以它读到的版本或它的令牌为准。',
  'Let the write carry a condition (a version column, WHERE stock > 0), or let the resource compare the fencing token. Until then `lease.assertHeld()` right before the write makes the window small, and a reconciliation has to find what slips through.':
    '让写入带条件（版本列，WHERE stock > 0），或让资源一侧比较栅栏令牌。在那之前，紧挨写入的 `lease.assertHeld()` 使窗口变小，漏过的要靠对账发现。',
  'A failover, or a restart without persistence, forgets the lock: two hold it until the first one renews, a third of the TTL later at most.':
    '故障切换，或没有持久化的重启，会忘记锁：在第一个持有者续期之前（最多三分之一 TTL），有两个持有者。',
  'Make the work idempotent, with a number that belongs to the act (the order number), and look once more at the state when you have the lock.':
    '让工作幂等，用属于这个操作的编号（订单号），并在拿到锁之后再看一次状态。',
  'The newer holder has the larger token, so the resource refuses the older one. Nothing more is needed where every write goes through the guard.':
    '新的持有者令牌更大，资源一侧会拒绝旧的。只要每次写入都经过守卫，就不需要更多。',
  'A Redis that may evict keys may evict locks.': '会淘汰键的 Redis 也会淘汰锁。',
  'Set `maxmemory-policy noeviction` there, or give the locks a Redis of their own.':
    '在那里设 `maxmemory-policy noeviction`，或给锁一台专用的 Redis。',
  "A jump of the server's clock ends leases early.": '服务器时钟跳变会使租约提前结束。',
  'Let its clock be slewed, not stepped (chrony); the guard covers what is left.':
    '让它的时钟渐调而不要跳变（chrony）；剩下的由守卫承担。',
  'A killed holder costs the rest of its TTL, during which nobody has the lock.':
    '持有者被杀死，代价是 TTL 的剩余时间，其间没有人持有锁。',
  'One script call to get it and one to give it back; what is asked for at the same time travels together.':
    '取锁一次脚本调用，归还一次；同时提出的请求一起发送。',
  'The members have to answer each other, so each step costs the way between the regions. Keep a majority in one region, or give each name a home region.':
    '成员之间必须互相应答，所以每一步都要走一趟地域之间的路。把多数派放在一个地域，或给每个名字定一个归属地域。',
  'Give each name one home region with one server: replicas in other regions get the lock late, or not at all.':
    '给每个名字定一个归属地域和一台服务器：其他地域的副本拿到锁会晚，或根本拿不到。',
  'The etcd of the Kubernetes control plane is not for this: locks would take its time and its disk from the cluster, and its access rights would be those of the cluster.':
    'Kubernetes 控制面的 etcd 不是给这个用的：锁会占用集群的时间和磁盘，而访问权限就是集群的权限。',

  // etcd, and its risks.
  'Two transactions, each written to the disks of a majority before it is answered.':
    '两个事务，每个都在写到多数派的磁盘之后才应答。',
  'A killed holder costs its TTL, and up to twice that where the leader dies meanwhile.':
    '持有者被杀死，代价是它的 TTL；其间领导者也宕机时，最多两倍。',
  'etcd before 3.4.31 and 3.5.13 can end a lease that is being renewed, when the disk of a leader hangs.':
    '3.4.31 和 3.5.13 之前的 etcd，在领导者的磁盘挂起时，可能结束正在续期的租约。',
  'Run a newer one, on disks of its own, and look at the time of its fsync.':
    '使用更新的版本，给它专用的磁盘，并留意 fsync 的耗时。',
  'Renewals that come late are how a lock is lost here while its holder works.':
    '在这里，持有者还在工作而锁已失去，是因为续期来晚了。',
  'Watch `slackMs` of the event `holdfast:renewal`, and every `holdfast:loss`.':
    '监视事件 `holdfast:renewal` 的 `slackMs`，以及每一个 `holdfast:loss`。',
  'One call of a function of the database each, and a transaction in it.': '各调用一次数据库函数，其中是一个事务。',
  '`holdfast migrate --url …` makes the tables, or `ddl()` in your own migrations.':
    '`holdfast migrate --url …` 建表，或在你自己的迁移里用 `ddl()`。',
  'A standby that is promoted before it has the last grant forgets it, and gives the same token once more.':
    '备库在得到最后一次授予之前被提升，就会忘记它，并再次给出同一个令牌。',
  'Replicate synchronously where that matters, and leave `synchronous_commit` and `innodb_flush_log_at_trx_commit` as they are delivered.':
    '要紧之处用同步复制，`synchronous_commit` 和 `innodb_flush_log_at_trx_commit` 保持默认。',

  'Not yet: find out first what one failure costs': '还不能选：先弄清一次失效的代价',
  'A lock that can fail once a year is right for a notification and wrong for money. Ask the people who would have to clean up: who notices, after how long, and can it be put right? Then come back.':
    '一年可能失效一次的锁，用于通知是对的，用于钱是错的。去问将来要收拾残局的人：谁会发现，多久之后，能改正吗？然后再回来。',
  'Count what one doubled act costs: a refund, a recount, a day of a team, a customer.':
    '算一算一次重复操作的代价：一笔退款、一次盘点、团队的一天、一位客户。',
  'Look whether the write itself could carry a condition. If it can, the question answers itself.':
    '看看写入本身能不能带条件。如果能，问题就有了答案。',

  'No lock: one conditional write (optimistic concurrency)': '不用锁：一次条件写入（乐观并发）',
  'The database refuses the second write in the moment in which it is made, so there is nothing that could expire, be forgotten or come late. Who was refused reads again and tries again.':
    '数据库在第二次写入发生的那一刻就拒绝它，没有什么会过期、被遗忘或迟到。被拒绝的一方重新读取、再试。',
  'A version column, or a condition that says what must still be so; and a bound on how often one tries again.':
    '一个版本列，或一个写明什么必须仍然成立的条件；再加上重试次数的上限。',
  'One statement, and another round for each one that was refused.': '一条语句，每被拒绝一次再来一轮。',
  'Many writers of one row refuse each other again and again.': '许多写入方写同一行，会一再互相拒绝。',
  'Queue them by key, or divide the row (ten rows of a tenth of the stock).':
    '按键排队，或把一行拆开（十行，各放十分之一的库存）。',
  'What happens beside the write (a mail, a call of a payment provider) is not covered by its condition.':
    '写入之外发生的事（一封邮件、一次对支付渠道的调用）不在条件的保护之内。',
  'Do it after the write, with the number of the act as idempotency key.': '放在写入之后做，用操作的编号作幂等键。',
  'Under contention much work is done in vain.': '争用激烈时，许多工作白做。',
  'A Redis lock before the write saves that work. It may fail, since the condition is what protects.':
    '写入之前加一把 Redis 锁可以省下这些工作。它可以失效，因为起保护作用的是条件。',

  'No lock: a queue with one consumer for each key, or smaller keys': '不用锁：每个键一个消费者的队列，或更细的键',
  'One lock lets one holder after the other through. When more come than one line can serve, they wait longer and longer, with any lock. Put the acts into a queue by key, where one consumer does them in batches; or divide the key, so that there are many lines.':
    '一把锁让持有者一个接一个地通过。到来的请求超过一条队列的处理能力，就会越等越久，用什么锁都一样。按键把操作放进队列，由一个消费者成批处理；或把键拆细，变成许多条队列。',
  'A queue that keeps the order by key: a partition, a stream, a table of tasks.':
    '按键保持顺序的队列：一个分区、一个流、一张任务表。',
  'Or divide what is wanted: the stock of the item in ten rows, each with a lock of its own.':
    '或把被争的东西拆开：商品库存放在十行里，每行有自己的锁。',
  'Or hold shorter: only what must be alone belongs under the lock.': '或持有得更短：只有必须独占的才放在锁里。',
  'Callers learn the outcome later, instead of waiting for the lock.': '调用者稍后才知道结果，而不是等锁。',
  'A queue delivers some acts twice.': '队列会把有些操作投递两次。',
  'Give each act a number, and let the consumer keep the numbers that it has done.':
    '给每个操作一个编号，让消费者记住做过的编号。',
  'Two consumers of one key at once, when the queue takes one for dead that only slept.':
    '队列把只是睡着的消费者当成死了，同一个键就会同时有两个消费者。',
  'Let the consumer take a lease with a fencing token for its key: once for many acts, not for each.':
    '让消费者为它的键取一份带栅栏令牌的租约：许多操作取一次，而不是每个操作取一次。',

  'No lock at this rate: divide, queue, or make the write conditional': '这样的速率不用锁：拆分、排队，或让写入带条件',
  'What must not fail needs servers that agree, and they are too slow for this rate; what is fast enough can be given to two, and nothing would refuse the late write. One of the two has to change: the resource, or the rate of locks.':
    '不能失效的锁需要多数派一致的服务器，对这样的速率太慢；足够快的锁可能给了两个人，而迟到的写入没有谁拒绝。两者必须改变其一：资源一侧，或取锁的速率。',
  'Make the write conditional: then no lock is needed at all.': '让写入带条件：那就根本不需要锁。',
  'Let the resource compare a fencing token: then a fast lock on Redis is enough.':
    '让资源一侧比较栅栏令牌：那么 Redis 上的一把快锁就够了。',
  'Divide by key, and give each part one owner who holds a lease for minutes: the rate of locks is then that of changes of owners, and etcd or ZooKeeper can carry it.':
    '按键拆分，每一份交给一个持有租约数分钟的负责者：取锁的速率就成了负责者更换的速率，etcd 或 ZooKeeper 承受得起。',
  'Put the acts into a queue by key, with one consumer.': '按键把操作放进队列，每个键一个消费者。',
  'A fast lock in spite of this is right most of the time, which is why its failure is found late.':
    '仍然用快锁，大多数时候是对的，正因如此它的失效发现得晚。',
  'If it has to be for now: a reconciliation that runs every few minutes, and an alarm on `holdfast:loss`.':
    '如果暂时只能这样：每隔几分钟对一次账，并对 `holdfast:loss` 报警。',

  'No distributed lock: one in the process': '不用分布式锁：进程内的锁即可',
  'Nothing outside of the process has to agree, so nothing can be cut off, forgotten or late. The memory backend gives the same API, so that another one can take its place when there is a second process.':
    '进程之外没有谁需要达成一致，所以没有什么会被切断、遗忘或迟到。memory 后端提供同样的 API，等有了第二个进程，可以换上别的后端。',
  'Be sure that it stays one process: two during a deployment are two.':
    '要确保它一直只有一个进程：部署期间的两个也是两个。',
  'No round trip at all.': '没有任何往返。',
  'A rolling deployment runs the old and the new process at once.': '滚动部署会让新旧进程同时运行。',
  'Stop the old one first, or use a backend that both share.': '先停旧的，或用两者共享的后端。',

  'The embedded file (SQLite), for the processes of one machine': '嵌入式文件（SQLite），用于一台机器上的多个进程',
  'A file that all processes of the machine share: nothing to run, in order, with tokens, and a killed holder frees its locks at once, since the system knows that it is dead.':
    '机器上所有进程共享的一个文件：不用运维什么，有顺序，有令牌；持有者被杀死，锁立即释放，因为操作系统知道它死了。',
  'One folder on a disk of this machine, private to one user: not /tmp, not NFS.':
    '这台机器磁盘上的一个目录，只属于一个用户：不要用 /tmp，不要用 NFS。',
  'A short transaction each, without a network.': '各一个短事务，不经过网络。',
  'A killed holder costs nothing: the lock is free at once.': '持有者被杀死没有代价：锁立即可用。',
  'Two containers, or two users, without a common folder have two sets of locks.':
    '两个容器或两个用户，没有共同的目录，就有两套锁。',
  'Share the folder as a volume; on a second machine, take another backend.':
    '把目录作为卷共享；有了第二台机器，就换别的后端。',

  'Redis: one server, or a primary with replicas': 'Redis：单台服务器，或一主多副本',
  'The fastest of the locks, with a watchdog, a line of waiters and a signal when it is lost. In a failover it can be given to two: right where that costs little.':
    '最快的锁，有看门狗、等待队列，失去锁时有信号。故障切换时可能给了两个人：适用于代价很小的地方。',
  'There is no Redis yet: one server is enough to begin with.': '还没有 Redis：开始时一台就够。',
  'AOF, so that a restart keeps the locks; `maxmemory-policy noeviction`.':
    '开启 AOF，使重启后锁还在；`maxmemory-policy noeviction`。',

  'Redis, and each lock waits for a replica': 'Redis，每把锁都等待副本',
  'As with Redis alone, but a lock is given only when a replica has it too. That makes a lock that a failover forgets rarer; it does not exclude it.':
    '与单独的 Redis 一样，但副本也有了锁才给出。故障切换忘记锁的情形会更少，但不能排除。',
  'AOF, and `maxmemory-policy noeviction`, on the primary and on each replica.':
    '主节点和每个副本上都开启 AOF，并设 `maxmemory-policy noeviction`。',
  'And the way to a replica and back, for each grant. Without a replica that answers, no lock is given.':
    '每次授予再加一趟到副本的往返。没有副本应答，就不给锁。',
  'The replica that is promoted may be another one than that which has the lock: then two hold it until the first one renews.':
    '被提升的副本可能不是有锁的那个：在第一个持有者续期之前，有两个持有者。',
  'Look once more at the state when you have the lock, and let a reconciliation find the rest.':
    '拿到锁之后再看一次状态，其余的由对账发现。',

  'Redis, with the fencing token checked where you write': 'Redis，并在写入之处检查栅栏令牌',
  'The lock is fast and may be given to two; the token makes that harmless, since the resource refuses the older holder. What protects is the guard, not the lock.':
    '锁很快，可能给了两个人；令牌使之无害，因为资源一侧会拒绝旧的持有者。起保护作用的是守卫，不是锁。',
  'The check at the resource comes first: before the holder reads, not only before it writes.':
    '资源一侧的检查在最前面：在持有者读之前，而不只是写之前。',
  'AOF, and `maxmemory-policy noeviction`.': '开启 AOF，并设 `maxmemory-policy noeviction`。',
  'One comparison more at the resource, in the transaction that writes anyway.':
    '资源一侧多一次比较，就在本来要写的那个事务里。',
  'A write that goes round the guard is not protected: a script by hand, an older version, a mail.':
    '绕过守卫的写入不受保护：手工脚本、旧版本、一封邮件。',
  'Let the guard stand in the only way to the data; what leaves it needs an idempotency key of its own.':
    '让守卫站在通往数据的唯一路上；离开这条路的需要自己的幂等键。',
  'If the counter of the tokens is lost and the clock of the new primary is behind by more than the time between the two grants, a token can repeat.':
    '如果令牌的计数器丢失，而新主节点的时钟落后得比两次授予之间的时间还多，令牌可能重复。',
  'Keep the clocks of primary and replicas together, to far less than a failover takes.':
    '让主节点与副本的时钟保持一致，误差远小于一次故障切换的时间。',

  'Redlock, on independent Redis servers': 'Redlock，建在互相独立的 Redis 上',
  'A majority of servers that do not replicate from each other gives the lock, so that one of them may die. It has no fencing token: right where one failure costs a notification more, and not where it costs an incident.':
    '互不复制的服务器以多数派给出锁，所以其中一台可以宕机。它没有栅栏令牌：适用于一次失效只是多一条通知的地方，不适用于会成为事故的地方。',
  'An odd number of servers, without replication, on machines that do not fail together.':
    '奇数台服务器，不做复制，放在不会一起出故障的机器上。',
  'All servers are asked at once; the slowest of the majority decides.': '同时询问所有服务器；由多数派中最慢的决定。',
  'Waiters of several processes ask again and again, in no order.': '多个进程的等待者反复询问，没有顺序。',
  'A server that comes back empty, or whose clock jumps, can make a second majority.':
    '以空数据重启的服务器，或时钟跳变的服务器，可能构成第二个多数派。',
  'AOF with `appendfsync always`, or keep a server away for longer than the longest TTL before it starts again; let clocks be slewed. And make the work idempotent.':
    'AOF 配 `appendfsync always`，或让服务器离开超过最长的 TTL 之后再启动；时钟要渐调。并让工作幂等。',
  'There is no token that could be compared: make the work idempotent, or take a backend with tokens.':
    '没有可以比较的令牌：让工作幂等，或换用有令牌的后端。',

  'etcd: each lock is agreed on by a majority': 'etcd：每把锁都经多数派同意',
  'A lease, a key, and waiters in line, each written to the disks of a majority before it is answered: no failover forgets the lock. Its token is the revision, which the resource can compare.':
    '租约、键和排队的等待者，都在写到多数派的磁盘之后才应答：故障切换不会忘记锁。它的令牌是 revision，资源一侧可以比较。',
  'Three or five members, each with a disk of its own, and a user for the prefix of the locks.':
    '三个或五个成员，各有专用的磁盘，并为锁的前缀设一个用户。',

  'etcd: the one that is there, once somebody can run it': 'etcd：用现有的那套，先要有人会运维',
  'There is an etcd of its own, and nobody who has run one. What one failure costs justifies learning it before a lock depends on it. No failover forgets the lock, and its token is the revision, which the resource can compare.':
    '有一套独立的 etcd，却没有人运维过。一次失效的代价，值得在锁依赖它之前先学会。故障切换不会忘记锁，令牌是 revision，资源一侧可以比较。',
  'Try before it matters how a member is replaced and a backup restored, and who is called when it stands still.':
    '在要紧之前先演练怎样更换成员、怎样恢复备份，并定好它停摆时找谁。',
  'Practise the death of a member: `holdfast checkup etcd-leader`.':
    '演练一个成员宕机：`holdfast checkup etcd-leader`。',
  'The ZooKeeper that is there would do as well, once somebody can run it: its heap, its pauses, a server that has to be replaced.':
    '现有的 ZooKeeper 也可以，只要有人会运维：它的堆、它的停顿、更换一台服务器。',

  'etcd, a cluster of its own that you set up for this': 'etcd，为此新建一套独立集群',
  'What one failure costs justifies three small servers that agree by majority. No failover forgets the lock, and its token is the revision, which the resource can compare.':
    '一次失效的代价，值得三台多数派一致的小服务器。故障切换不会忘记锁，令牌是 revision，资源一侧可以比较。',
  'Three members, each with a disk of its own; then practise the death of one: `holdfast checkup etcd-leader`.':
    '三个成员，各有专用的磁盘；然后演练其中一个宕机：`holdfast checkup etcd-leader`。',
  'Three servers to run, with backups, certificates and upgrades.': '要运维三台服务器，包括备份、证书和升级。',

  'ZooKeeper: each lock is agreed on by a majority': 'ZooKeeper：每把锁都经多数派同意',
  'A node in line for each contender, held by a session, on an ensemble that agrees by majority: no failover forgets the lock, a release wakes one waiter, and the token is the number of the transaction.':
    '每个竞争者一个排队的节点，由会话维持，建在多数派一致的集群上：故障切换不会忘记锁，一次释放只唤醒一个等待者，令牌是事务的编号。',
  'Three or five servers; `digest`, since otherwise anybody who reaches them can remove a lock.':
    '三台或五台服务器；要用 `digest`，否则谁连得上谁就能删掉锁。',
  'There is none yet: try before it matters how a server is replaced.': '还没有：在要紧之前先演练怎样更换服务器。',
  'Three requests in two round trips, each change written by a majority.':
    '两次往返中的三个请求，每次变更都由多数派写下。',
  'A killed holder costs its session, and up to twice that where the leader dies meanwhile.':
    '持有者被杀死，代价是它的会话时限；其间领导者也宕机时，最多两倍。',
  'The numbers in the names of nodes start again when their parent was removed.':
    '父节点被删除之后，节点名里的序号会重新开始。',
  'As token take `lease.fencingToken`, which is the czxid, and not the number in the name.':
    '令牌要用 `lease.fencingToken`，也就是 czxid，而不是名字里的序号。',

  'A lock row in the database of the data, with the guard in the same transaction':
    '数据所在数据库里的一行锁，守卫在同一个事务里',
  'The lock is a row with an expiry in the server’s time, and the guard stands in the transaction that does the work: a holder that has been overtaken is refused, and its transaction rolls back. No server is added.':
    '锁是一行数据，按服务器的时间到期；守卫就在做事的那个事务里：被超过的持有者会被拒绝，它的事务回滚。不增加服务器。',
  'The table of the guard: `holdfast migrate --guard`, or `guard.ddl`.':
    '守卫的表：`holdfast migrate --guard`，或 `guard.ddl`。',
  'A holder that is stopped inside its transaction keeps the next one waiting at the guard.':
    '在事务之内停住的持有者，会让下一个在守卫处等待。',
  'Give the database a limit: `idle_in_transaction_session_timeout`, `idle_transaction_timeout`.':
    '给数据库设时限：`idle_in_transaction_session_timeout`、`idle_transaction_timeout`。',

  'A lock row in the database that you have': '现有数据库里的一行锁',
  'A row with an expiry in the server’s time, a queue and a token: it frees itself when its holder dies, and no server is added. It is slower than Redis.':
    '一行数据，按服务器的时间到期，带队列和令牌：持有者死后自行释放，不增加服务器。它比 Redis 慢。',

  'A session lock of the database that you have': '现有数据库的会话锁',
  'An advisory lock (PostgreSQL) or GET_LOCK (MySQL, MariaDB) on a connection of its own: no tables, which a migration could not use before it has made them, and a killed holder frees it at once.':
    '在专用连接上的咨询锁（PostgreSQL）或 GET_LOCK（MySQL、MariaDB）：不用表（迁移在建表之前也用不了表），持有者被杀死立即释放。',
  'A direct connection: a pooler in between, or a node of a Galera cluster, is refused.':
    '必须直接连接：中间有连接池，或连的是 Galera 集群的节点，都会被拒绝。',
  'A lock and an unlock on one connection, which is kept while the lock is held.':
    '在一个连接上加锁和解锁，持锁期间一直保持这个连接。',
  'A killed holder costs nothing: its connection ends, and the lock with it.':
    '持有者被杀死没有代价：它的连接结束，锁也随之结束。',
  'There is no token, so nothing can refuse a holder that was paused for longer than its session was left to it.':
    '没有令牌，所以持有者停顿超过会话存续的时间之后，没有谁能拒绝它。',
  'Write the job so that it may run twice: one transaction, or a row that says what is done.':
    '把任务写成可以运行两遍的：一个事务，或用一行记下做过什么。',
  'The scope is one database (PostgreSQL) or one server (MySQL): a failover ends it.':
    '作用范围是一个数据库（PostgreSQL）或一台服务器（MySQL）：故障切换会结束它。',
  'The holder is told by `lease.signal`; let the job stop there.': '持有者由 `lease.signal` 得知；让任务就此停下。',

  // What is asked of the business, whatever the answer is.
  'Make the work idempotent, with a number that belongs to the act: a lock that is lost once is then a repeated attempt.':
    '让工作幂等，用属于这个操作的编号：锁失去一次，就只是一次重复的尝试。',
  'Keep the reconciliation that finds a failure, and look at what it finds: it is the measure of whether this choice still holds.':
    '保留能发现失效的对账，并看它发现了什么：这个选择是否仍然成立，由它来衡量。',
  'Reconcile all the same (movements against stock, entries against balance): the lock is one safeguard, and not the only one.':
    '仍然要对账（流水对库存，分录对余额）：锁是一道保障，而不是唯一的一道。',
  'Send the number of the act as idempotency key with each request that leaves: what has left cannot be refused afterwards.':
    '每个发往外部的请求都带上操作的编号作幂等键：发出去的，事后无法拒绝。',
  'Pass `lease.signal` to what can stop, and raise an alarm on each event `holdfast:loss`.':
    '把 `lease.signal` 传给能停下的部分，并对每个 `holdfast:loss` 事件报警。',
};
