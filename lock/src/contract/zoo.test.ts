import { describe, expect, it } from 'vitest';
import { MemoryBackend, MemoryStore } from '../backends/memory/index.ts';
import type { AcquireRequest, Granted, Hold } from '../core/backend.ts';
import { type Instant, systemClock } from '../core/clock.ts';
import { contractCases } from './index.ts';
import { CaseContext } from './subject.ts';

/** A backend with one mistake that people really make, and the case that must catch it. */
interface Specimen {
  readonly mistake: string;
  readonly caughtBy: string;
  create(store: MemoryStore): MemoryBackend;
}

class Zoo extends MemoryBackend {
  protected readonly store: MemoryStore;

  constructor(store: MemoryStore) {
    super(store, systemClock);
    this.store = store;
  }

  protected ownerOf(name: string): string | undefined {
    return this.store.rows.get(name)?.holder?.owner;
  }
}

const zoo: readonly Specimen[] = [
  {
    mistake: 'release deletes whatever is there',
    caughtBy: 'a release by another owner changes nothing',
    create: (store) =>
      new (class extends Zoo {
        override release(hold: Hold) {
          return super.release({ ...hold, owner: this.ownerOf(hold.name) ?? hold.owner });
        }
      })(store),
  },
  {
    mistake: 'renewal makes the hold anew when it is gone',
    caughtBy: 'a renewal by another owner changes nothing, and one of a hold that is over does not bring it back',
    create: (store) =>
      new (class extends Zoo {
        override async renew(holds: readonly Hold[]) {
          for (const hold of holds) {
            if (this.ownerOf(hold.name) === undefined) {
              await this.tryAcquire({ ...hold, purpose: undefined, heartbeatMs: 300 });
            }
          }
          return super.renew(holds);
        }
      })(store),
  },
  {
    mistake: 'the lease counts from the reply, and from a longer TTL than was granted',
    caughtBy: 'a lease that is not renewed is lost by its own clock before the next one is granted',
    create: (store) =>
      new (class extends Zoo {
        override async queue(step: 'enter' | 'stay', request: AcquireRequest) {
          const answer = await super.queue(step, request);
          if (answer.outcome !== 'granted') return answer;
          return { ...answer, ttlMs: answer.ttlMs * 1.5, countedFrom: systemClock.now() };
        }
      })(store),
  },
  {
    mistake: 'a try takes a free lock although others wait',
    caughtBy: 'a free lock goes to the first who waits, whoever looks first',
    create: (store) =>
      new (class extends Zoo {
        override async tryAcquire(request: AcquireRequest) {
          const row = this.store.row(request.name);
          const waiters = [...row.waiters];
          row.waiters.clear();
          const answer = await super.tryAcquire(request);
          for (const [owner, waiter] of waiters) row.waiters.set(owner, waiter);
          return answer;
        }
      })(store),
  },
  {
    mistake: 'a waiter that leaves stays in the queue',
    caughtBy: 'a wait that is aborted leaves nothing',
    create: (store) =>
      new (class extends Zoo {
        override async withdraw() {}
      })(store),
  },
  {
    mistake: 'the first in the queue is the one who came last',
    caughtBy: 'waiters of several Locks objects get the lock in the order in which they came',
    create: (store) =>
      new (class extends Zoo {
        override async queue(step: 'enter' | 'stay', request: AcquireRequest) {
          const answer = await super.queue(step, request);
          const { waiters } = this.store.row(request.name);
          const mine = waiters.get(request.owner);
          if (step === 'enter' && mine !== undefined) {
            const others = [...waiters].filter(([owner]) => owner !== request.owner);
            waiters.clear();
            for (const [owner, waiter] of [[request.owner, mine] as const, ...others]) waiters.set(owner, waiter);
          }
          return answer;
        }
      })(store),
  },
  {
    mistake: 'a heartbeat makes an entry',
    caughtBy: 'entering the queue again keeps the place, and a heartbeat never makes one',
    create: (store) =>
      new (class extends Zoo {
        override queue(_step: 'enter' | 'stay', request: AcquireRequest) {
          return super.queue('enter', request);
        }
      })(store),
  },
  {
    mistake: 'asking again with the same owner id is answered "busy"',
    caughtBy: 'asking again with the same owner id gives the same grant, never "busy"',
    create: (store) =>
      new (class extends Zoo {
        override async tryAcquire(request: AcquireRequest) {
          if (this.ownerOf(request.name) === request.owner) return { outcome: 'busy' as const };
          return super.tryAcquire(request);
        }
      })(store),
  },
  {
    mistake: 'asking again makes a new token',
    caughtBy: 'asking again with the same owner id gives the same grant, never "busy"',
    create: (store) =>
      new (class extends Zoo {
        override async tryAcquire(request: AcquireRequest) {
          await super.release(request);
          return super.tryAcquire(request);
        }
      })(store),
  },
  {
    mistake: 'a request is served although it was withdrawn before it arrived',
    caughtBy: 'a request that arrives after it was withdrawn gets nothing, and leaves nothing',
    create: (store) =>
      new (class extends Zoo {
        override withdraw(hold: Hold) {
          return super.withdraw(hold, { mayArriveLate: false });
        }
      })(store),
  },
  {
    mistake: 'the tokens start again when the lock has been free',
    caughtBy: 'each grant has a larger token than all before, also after a hold that ran out',
    create: (store) =>
      new (class extends Zoo {
        override async release(hold: Hold) {
          const answer = await super.release(hold);
          this.store.rows.delete(hold.name);
          return answer;
        }
      })(store),
  },
  {
    mistake: 'nobody tells a waiter that it has the lock',
    caughtBy: 'a release wakes the waiter of another process at once, without its asking',
    create: (store) =>
      new (class extends Zoo {
        override listen(_request: AcquireRequest, _wake: (granted?: Granted) => void) {
          return () => undefined;
        }
      })(store),
  },
  {
    mistake: 'a transfer overtakes those who wait',
    caughtBy: 'a transfer lets those go first who wait in the queue',
    create: (store) =>
      new (class extends Zoo {
        override async transfer(hold: Hold, next: AcquireRequest) {
          const row = this.store.row(hold.name);
          const waiters = [...row.waiters];
          row.waiters.clear();
          const answer = await super.transfer(hold, next);
          for (const [owner, waiter] of waiters) row.waiters.set(owner, waiter);
          return answer;
        }
      })(store),
  },
  {
    mistake: 'the holder of a broken lock is not told',
    caughtBy:
      'a broken holder is told, the next waiter gets the lock, and its token is not below the one to raise the guard to',
    create: (store) =>
      new (class extends Zoo {
        override onLoss() {
          return () => undefined;
        }

        override renew(holds: readonly Hold[]) {
          return Promise.resolve(holds.map(() => 'renewed' as const));
        }
      })(store),
  },
  {
    mistake: 'the key of a holder never runs out',
    caughtBy: 'a free lock goes to the first who waits, whoever looks first',
    create: (store) =>
      new (class extends Zoo {
        override async tryAcquire(request: AcquireRequest) {
          const answer = await super.tryAcquire(request);
          const holder = this.store.row(request.name).holder;
          if (holder?.owner === request.owner) holder.endsAt = Number.POSITIVE_INFINITY as Instant;
          return answer;
        }
      })(store),
  },
];

async function runCase(name: string, create: (store: MemoryStore) => MemoryBackend): Promise<void> {
  const found = contractCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no case "${name}".`);
  const store = new MemoryStore();
  const context = new CaseContext({ create: () => create(store), residue: async () => rowsLeft(store) });
  const giveUp = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the case did not end')), 8_000).unref();
  });
  try {
    await Promise.race([found.run(context), giveUp]);
  } finally {
    await context.end().catch(() => undefined);
  }
}

function rowsLeft(store: MemoryStore): string[] {
  return [...store.rows].filter(([, row]) => !row.isIdle(systemClock.now())).map(([name]) => name);
}

describe.concurrent('the contract catches a backend where', () => {
  it.for(zoo.map((specimen) => [specimen.mistake, specimen] as const))('%s', async ([, { caughtBy, create }]) => {
    await expect(runCase(caughtBy, create)).rejects.toThrow();
  });
});

describe.concurrent('the same case finds nothing on a sound backend', () => {
  it.for([...new Set(zoo.map(({ caughtBy }) => caughtBy))])('%s', async (name) => {
    await runCase(name, (store) => new MemoryBackend(store, systemClock));
  });
});
