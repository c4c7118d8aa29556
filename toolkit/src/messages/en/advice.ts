/**
 * What each kind of experiment does, and what follows from its verdict: `…Done`, `…Safe`, `…Unsafe`, and the remedy,
 * `…Remedy`. `other` is for an experiment that has no texts of its own.
 *
 * @module
 */
export const advice = {
  crashDone:
    'First the lock is given back, and a rival that waits must get it. Then its holder is killed with kill -9 in the middle of its work: it cleans up nothing and tells nobody, and the rival asks until it has the lock.',
  crashSafe:
    'The lock came free by itself, and nobody worked on the data beside the dead holder. Until then it was nobody’s: that time is what a crash costs.',
  crashUnsafe:
    'After a crash this lock stays taken, or is given to two. Somebody has to free it by hand, at the hour of the crash.',
  crashRemedy:
    'Let the lock end with a time limit or with the connection of its holder, and choose the TTL as the longest wait that you accept after a crash.',

  pauseDone:
    'The holder is stopped with SIGSTOP between a read and its write, for longer than its TTL, as by a long garbage collection or a suspended machine. It wakes when its rival has the lock and has written.',
  pauseSafe:
    'The woken holder did write, as code that is past its check does; what it wrote was refused, because its token was smaller than the one the guard had seen.',
  pauseUnsafe:
    'The woken holder wrote over what its rival had done. A renewal in the background does not help, since it was asleep as well, and no check before the write can: the pause comes after it.',
  pauseRemedy:
    'Take a lock that gives a fencing token, and let the data refuse smaller tokens: in the same transaction, or with a compare in the same script. Where the data cannot check, make the work idempotent, and reconcile.',

  partitionDone:
    'The holder’s ways to the servers are cut, in one direction or in both, or get slow. Its connections stand, and it is awake and works on; the rival’s ways are as before. In the end what was held back arrives.',
  partitionSafe:
    'The holder gave up by its own clock before anybody else had the lock, and what was still under way was refused.',
  partitionUnsafe:
    'The holder’s code worked on after another had been given the lock, whether the lock had told it in time or not, and nothing refused what it wrote.',
  partitionRemedy:
    'Count the lease on the holder’s own clock, from before the request was sent, and stop work when it is over; and let the data check a token.',

  failoverDone:
    'The replica is cut off, then the lock is taken, then the primary is killed and the replica promoted: the lock has never reached it.',
  failoverSafe:
    'Two may have held at once, which no client can prevent here, since replication is asynchronous. The data was saved by a token that still grew after the failover, and a guard that compared it.',
  failoverUnsafe:
    'The new primary knew nothing of the lock and gave it to a second holder. Both worked on the data, and nothing refused the older one.',
  failoverRemedy:
    'On a store with asynchronous replication only a token that outlives the failover, with a guard at the data, saves the data. Where that cannot be, use a store that agrees by a majority, such as etcd or ZooKeeper.',

  leaseDone: 'A waiter stands behind the holder. The lock is given back once, and once its holder is killed.',
  leaseSafe:
    'Given back, the lock goes on at once. After a crash the lease must run out first: it is a time limit like any other, and not the moment of the crash.',
  leaseUnsafe: 'After the crash the lock did not come free, or was given to two.',
  leaseRemedy: 'Choose the TTL of the lease as the longest wait that you accept after a crash.',

  handOverUnsafe: 'The lock was given back, and who waited for it did not get it.',
  handOverRemedy:
    'See that the release takes away what the lock consists of, and that those who wait hear of it or ask again: here it stays taken until its time is over.',

  queueDone: 'Waiters line up one after the other; then the lock is given back, and each gives it to the next.',
  queueSafe: 'The data was not damaged, and where this lock promises an order it was kept.',
  queueUnsafe:
    'This lock promises an order, and somebody was served before one who had come earlier, or more were woken than could have it.',
  queueRemedy:
    'Let each waiter watch only the one before it. A lock that wakes all of them gets slower with each that waits.',

  distanceDone:
    'Every message to the store is held back for as long as a network of that length would take, and every answer. A takes the lock and gives it back, then it goes to and fro between two who wait for it.',
  distanceSafe: 'Nothing was damaged. How many round trips it takes is what to multiply by your own distance.',
  distanceUnsafe: 'The data was damaged although nothing had gone wrong but the time that messages take.',
  distanceRemedy:
    'Put the store near those who lock, or lock less often: one lock around several steps. A lock that polls hands over no sooner than its next question.',

  leaderDone: 'Three servers; the one that leads is killed. The two that are left elect another.',
  leaderSafe:
    'Nothing was damaged. For the time of the election nobody is answered, and after it times may begin anew: a lock of a dead holder can take up to twice its TTL to come free.',
  leaderUnsafe: 'The change of the leader lost the lock, or left it stuck.',
  leaderRemedy: 'Plan for a wait of an election and twice the TTL; keep the TTL well above the time of an election.',

  diskDone:
    'The disk of the leader hangs, so that the others elect a new one. The old one has not noticed, and goes on answering renewals.',
  diskSafe: 'The holder found out in time, or its late writes were refused.',
  diskUnsafe: 'The holder was told by a deposed leader that it still holds, while the others gave the lock away.',
  diskRemedy:
    'Update etcd to a version in which this is mended, and let the data check a token: a reply to a renewal is no proof.',

  poolerDone:
    'The clients reach PostgreSQL through a pooler in transaction mode, which hands the same session to one client after the other. Nothing else goes wrong.',
  poolerSafe: 'This lock is a row, or it refuses the pooler: it does not care which session it is in.',
  poolerUnsafe:
    'A session lock belongs to the session, and the session is everybody’s: the lock was given to whoever asked.',
  poolerRemedy:
    'Behind a pooler in transaction mode use a lock that is a row with an expiry, or connect past the pooler for the lock.',

  cutDone: 'All connections of the holder carry nothing any more, and stay open: no FIN, no reset. Nobody is told.',
  cutSafe: 'A limit of time on either side ended it: the holder knew first, and then the lock came free.',
  cutUnsafe:
    'Server and holder each believe that the connection lives. The lock stays taken until a kernel gives up, which can be hours.',
  cutRemedy:
    'Set limits on both sides: an idle limit for sessions at the server, and at the client a question to the server with a deadline.',

  clockDone:
    'The clock of a server jumps ahead by two TTLs while the lock is held, as when somebody sets it or a time service finds it wrong.',
  clockSafe: 'The jump ended nothing that mattered, or a token and a guard refused what the old holder still wrote.',
  clockUnsafe:
    'The server ends what it has granted by its own date. After the jump it gave the lock to a second holder while the first was within its time.',
  clockRemedy:
    'Let clocks be slewed and never stepped, and let the data check a fencing token. More servers help only against the jumps of few.',
  restartDone:
    'Servers that know nothing of each other and keep nothing on disk: some of those that have voted for the holder are killed and start again, empty.',
  restartSafe:
    'The vote that was forgotten did not make a second majority: enough others still knew of the lock, or its time was over.',
  restartUnsafe:
    'A server that had forgotten its vote voted again: a second majority, and two holders who both kept to their time.',
  restartRemedy:
    'Keep votes on disk with an fsync for each, or keep a server that was away out for a whole TTL. Where the data matters, take a lock with a token and a guard.',

  otherDone: 'Its question says what was done.',
  otherSafe: 'No damage was done in this run, although there was occasion.',
  otherUnsafe: 'In this run the data was damaged, or the lock stayed stuck.',
  otherRemedy:
    'Take a lock that gives a fencing token, and let the data refuse smaller ones. Where that cannot be, make the work idempotent.',

  unknownMeans:
    'This run shows neither. The reason says what was missing; run it again, with a longer --ttl on a busy machine.',
  notRunMeans: 'Nothing is known about this lock here.',
} as const;
