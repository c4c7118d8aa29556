/** The forks of the decision tree, their reasons, and what contradicts itself. */
export const rules: Readonly<Record<string, string>> = {
  'nobody can say what a failure costs': '没有人说得出一次失效的代价',
  'The cost of one failure decides everything else, so it comes first.': '一次失效的代价决定其余的一切，所以先弄清它。',
  'The cost of a failure is known, so a choice can be made.': '失效的代价已知，可以选择。',

  'one conditional write decides': '一次条件写入就能判定',
  'Where the database itself refuses the second write, it is safe without any lock.':
    '数据库自己会拒绝第二次写入，不用任何锁也是安全的。',
  'What is done is more than one conditional write, so that something has to keep others out meanwhile.':
    '要做的不止一次条件写入，期间必须有东西把别人挡在外面。',

  'it is one process': '只有一个进程',
  'Inside one process a lock without any server excludes just as well, and its holder cannot be cut off from it.':
    '在一个进程之内，不靠任何服务器的锁同样能互斥，持有者也不会与它断开。',
  'Several processes need something outside of them that they agree on.':
    '多个进程需要一个在它们之外、共同认可的东西。',

  'one lock is wanted for more time than there is': '对同一把锁的需求超过了它能提供的时间',
  'So many holders a second, each for so long, are more than a second of work for one line: no lock can make that fit.':
    '每秒这么多持有者、每个持有这么久，一条队列在一秒内处理不完：用什么锁都一样。',
  'The work under one lock fits into the time.': '一把锁保护的工作，时间上排得下。',

  'all processes are on one machine, and the peak is at most 1,000/s': '所有进程在同一台机器上，且高峰不超过 1,000/s',
  'On one machine a file does it: no server, no network that could fail, and the system itself says when a holder is dead.':
    '在一台机器上，一个文件就够了：没有服务器，没有会出故障的网络，持有者死了由操作系统来说。',
  'The processes are on several machines, or want the lock more often than one file can give it.':
    '进程在多台机器上，或取锁的频率超过一个文件所能给的。',

  'one failure is an incident, and the resource does not drop duplicates by itself':
    '一次失效就是一次事故，而资源一侧不会自己丢弃重复的操作',
  'One failure means days of work, and nothing behind the lock makes up for it.':
    '一次失效意味着好几天的工作，锁的背后没有别的东西来弥补。',
  'One failure costs little or is made up for behind the lock: it saves work, and need not be perfect.':
    '一次失效代价很小，或在锁的背后得到弥补：锁是为了省事，不必完美。',

  'the peak is above 5,000/s': '高峰超过 5,000/s',
  'Servers that agree by majority write each lock to several disks, over the network between them: that is too slow for this rate.':
    '多数派一致的服务器要隔着网络把每把锁写到几块磁盘上：对这样的速率来说太慢。',
  'A lock that must not be forgotten needs servers that agree by majority, or the transaction of the data itself; this rate leaves the time for it.':
    '不能被遗忘的锁，需要多数派一致的服务器，或数据自己的事务；这样的速率留得出时间。',

  'the resource compares fencing tokens': '资源一侧会比较栅栏令牌',
  'When the resource refuses the late write, a fast lock that can be given to two does no harm.':
    '资源一侧会拒绝迟到的写入时，一把快而可能给了两个人的锁没有害处。',
  'A fast lock can be given to two, and nothing would refuse the late write: then a lock is not the answer at this rate.':
    '快的锁可能给了两个人，而迟到的写入没有谁拒绝：在这样的速率下，锁不是答案。',

  'a lock must be had faster than a majority can answer, and the resource compares fencing tokens':
    '取锁必须快于多数派的应答，并且资源一侧会比较栅栏令牌',
  'When the resource refuses the late write, a lock that can be given to two does no harm, so the time may decide.':
    '资源一侧会拒绝迟到的写入时，可能给了两个人的锁没有害处，时间可以来决定。',
  'The time that a lock takes decides nothing here: it is enough, or nothing but the lock prevents the damage.':
    '取锁的时间在这里不作决定：时间够用，或除了锁没有别的能防止损害。',

  'there is an etcd of its own, and the team has run one': '有独立的 etcd，团队也运维过',
  'A grant is on the disks of a majority before it is given, so the death of a server does not forget it; and the team knows how to run it.':
    '授予在给出之前已写到多数派的磁盘上，一台服务器宕机也不会忘记它；而且团队会运维。',
  'There is no etcd of its own, or nobody who has run one: a consensus cluster that nobody can run is the next incident.':
    '没有独立的 etcd，或没有人运维过：没人会运维的共识集群就是下一次事故。',

  'there is a ZooKeeper, and the team runs Java services': '有 ZooKeeper，团队也运维 Java 服务',
  'A grant is on the disks of a majority here, too; the ensemble is there, and who runs Java services can run it.':
    '在这里授予同样先写到多数派的磁盘上；集群现成，会运维 Java 服务就会运维它。',
  'There is no ZooKeeper, or nobody who has run Java services: that it is there does not mean that somebody can mend it.':
    '没有 ZooKeeper，或没有人运维过 Java 服务：它在那里，不等于有人修得好它。',

  'the data is in a SQL database which compares tokens, and the peak is at most 500/s':
    '数据在会比较令牌的 SQL 数据库里，且高峰不超过 500/s',
  'The check stands in the very transaction that writes, and no server is added.':
    '检查就在写入的那个事务里，也不增加服务器。',
  'The data is in no SQL database, or nothing compares tokens there, or the rate is more than lock rows should add to its own work.':
    '数据不在 SQL 数据库里，或那里没有谁比较令牌，或速率高于锁的行应给它增加的负担。',

  'the resource compares fencing tokens, and there is a Redis': '资源一侧会比较栅栏令牌，并且有 Redis',
  'When the resource refuses the late write, a lock that can be given to two does no harm: a consensus cluster set up for this would add servers, and little safety.':
    '资源一侧会拒绝迟到的写入时，可能给了两个人的锁没有害处：为此新建共识集群只会多出服务器，安全却增加不多。',
  'Nothing refuses a late write, or there is no Redis: the lock itself must not be forgotten.':
    '没有谁拒绝迟到的写入，或没有 Redis：锁自己就不能被遗忘。',

  'the team runs Java services': '团队运维 Java 服务',
  'Who runs Java services can run ZooKeeper, whose heap and pauses are then nothing new.':
    '会运维 Java 服务，就会运维 ZooKeeper，它的堆和停顿都不陌生。',
  'Nobody here has run Java services, so of the two consensus servers the single binary is less to learn.':
    '这里没有人运维过 Java 服务，两种共识服务器中，单个可执行文件的那种要学的更少。',

  'there is an etcd of its own all the same': '仍然有一套独立的 etcd',
  'To learn to run the etcd that is there is less than to set up another one.':
    '学会运维现有的 etcd，比再建一套要少费力。',
  'There is no etcd that could carry locks.': '没有可以承担锁的 etcd。',

  'it is for an internal job, and there is a database': '用于内部任务，并且有数据库',
  'A job runs now and then, so the speed of a database is enough, and no server is added.':
    '任务只是偶尔运行，数据库的速度足够，也不增加服务器。',
  'It is no rare internal job that the database could serve in passing.': '它不是数据库可以顺带照应的偶发内部任务。',

  'waiters must come in order': '等待者必须按顺序',
  'A session lock of a database knows no order among those who wait; a lease row has a queue.':
    '数据库的会话锁不知道等待者之间的顺序；租约行带有队列。',
  'Without an order to keep, a session lock is enough: no tables, and a killed holder frees it at once.':
    '不必保持顺序时，会话锁就够了：不要表，持有者被杀死即刻释放。',

  'the Redis has replicas, a failure means a repair, and there is time for another round trip':
    'Redis 有副本，一次失效意味着一次修复，并且有时间多一次往返',
  'Replication is asynchronous: waiting until a replica has the lock makes a lock that a failover forgets rarer, for one round trip.':
    '复制是异步的：等到副本也有了锁，以一次往返换来故障切换更少忘记锁。',
  'Waiting for a replica would buy nothing here: there is none, or no time for it, or a failure costs less than the wait.':
    '在这里等待副本换不来什么：没有副本，或没有时间，或失效的代价小于等待。',

  'there is a Redis': '有 Redis',
  'Where a failure costs little, the fastest lock on a server that you run anyway is the best bargain.':
    '失效代价很小时，在本来就运行着的服务器上用最快的锁，最划算。',
  'There is no ordinary Redis at hand.': '手边没有普通的 Redis。',

  'there are several independent Redis, and waiters need no order': '有几台互相独立的 Redis，等待者也不必有顺序',
  'A majority of independent servers outlives the death of one of them without a failover that could forget the lock.':
    '独立服务器的多数派经得起其中一台宕机，不需要可能忘记锁的故障切换。',
  'There are no independent Redis, or waiters must come in order, which Redlock cannot promise.':
    '没有互相独立的 Redis，或等待者必须按顺序，而 Redlock 承诺不了。',

  'there is a database, and the peak is at most 500/s': '有数据库，且高峰不超过 500/s',
  'At this rate a row in the database that you have does it, and no server is added.':
    '在这样的速率下，现有数据库里的一行就够了，不增加服务器。',
  'There is no database, or the rate is more than it should carry beside its own work.':
    '没有数据库，或速率超过它在本职之外该承担的。',

  'there is an etcd or a ZooKeeper, and the peak is at most 5,000/s': '有 etcd 或 ZooKeeper，且高峰不超过 5,000/s',
  'It is there, it is safer than what is asked for, and it can carry this rate.':
    '它现成，比所要求的更安全，也承受得起这样的速率。',
  'No server that is there fits; one Redis is the least to add.': '现有的服务器都不合适；增加一台 Redis 是最少的。',

  'it is etcd': '是 etcd',
  'Of the two it is the one with the smaller client side.': '两者之中，它的客户端一侧更小。',
  'What there is, is ZooKeeper.': '现有的是 ZooKeeper。',

  'The peak is below the usual rate. The peak is the most that is asked for, over all locks.':
    '高峰低于平时的速率。高峰是所有锁加起来的最大值。',
  'The peak on one lock is above the peak over all locks. It is a part of it.':
    '单把锁的高峰高于所有锁的高峰。前者是后者的一部分。',
  'Something outside neither compares our fencing tokens nor takes our conditions. If it knows a request again by an idempotency key, say drop-duplicates; if a service of yours stands before it and compares, say that the holder writes to a service.':
    '外部系统既不比较我们的栅栏令牌，也不接受我们的条件。如果它凭幂等键认得出重复请求，请选 drop-duplicates；如果前面有你自己的服务做比较，请说持有者写到服务。',
  'A leader or an internal job does not change more than ten times a second. If it is that often, it is work or data.':
    '领导者或内部任务不会每秒更换十次以上。如果这么频繁，那是工作或数据。',
  'The holder writes to etcd, and the only etcd is that of the Kubernetes control plane, which is not for data of applications. If there is another one, name etcd among the servers too.':
    '持有者写到 etcd，而唯一的 etcd 属于 Kubernetes 控制面，它不是给应用数据用的。如果还有另一套，请在服务器中也选上 etcd。',
  'The holder writes to a server that is not among the servers that you have. Name it there.':
    '持有者写到的服务器不在已有的服务器之中。请在那里选上它。',
  'A holder may be paused for longer than others are ready to wait, and the resource takes what comes. Then two work at once, and no lock can prevent it. Let the resource compare a fencing token, or let others wait longer.':
    '持有者停顿的时间可能比别人愿意等的更长，而资源一侧来什么就收什么。那时会有两个同时工作，没有锁能防止。让资源一侧比较栅栏令牌，或让别人等得更久。',
};
