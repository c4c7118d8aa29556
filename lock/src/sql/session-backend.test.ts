import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { type SessionConnection, SqlSessionBackend } from './session-backend.ts';
import { request, soon } from './test-support/requests.ts';

/** A session whose questions are interrupted as often as it is told. */
class Server {
  interruptions = 0;
  discarded = 0;
  readonly held: Set<string> = new Set();

  readonly database: ConstructorParameters<typeof SqlSessionBackend>[0] = {
    id: 'test-session',
    connections: {
      what: 'Test',
      take: async () => ({ on: () => undefined }),
      giveBack: () => undefined,
      discard: () => void this.discarded++,
    },
    prepare: async () => undefined,
    keyOf: (name) => name,
    lock: async (_, key) => {
      this.held.add(key); // an interruption may come after the deed
      this.#interrupt();
      return true;
    },
    unlock: async (_, key) => {
      this.#interrupt();
      return this.held.delete(key);
    },
    probe: async () => undefined,
    understand: () => ({ kind: 'unknown', remedy: '', interrupted: true }),
  };

  #interrupt(): void {
    if (this.interruptions-- > 0) throw new Error('interrupted');
  }
}

function open(server: Server): SqlSessionBackend<SessionConnection> {
  const backend = new SqlSessionBackend(server.database, systemClock);
  onTestFinished(() => backend.close());
  return backend;
}

it('a lock whose asking was interrupted is given back, also when the giving back is interrupted', async () => {
  const server = new Server();
  const backend = open(server);
  const kept = request('kept');
  await backend.tryAcquire(kept, soon());
  server.interruptions = 3;
  await expect(backend.tryAcquire(request('wanted'), soon())).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect.poll(() => [...server.held]).toEqual(['kept']);
  expect(await backend.renew([kept])).toMatchObject([{ outcome: 'renewed' }]);
});

it('a session in which a lock may have stayed behind is ended, and its holders are told', async () => {
  const server = new Server();
  const backend = open(server);
  const lost: string[] = [];
  backend.onLoss((owner) => lost.push(owner));
  const kept = request('kept');
  await backend.tryAcquire(kept, soon());
  server.interruptions = 1_000;
  await expect(backend.tryAcquire(request('wanted'), soon())).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect.poll(() => server.discarded).toBe(1);
  expect(lost).toEqual([kept.owner]);
});

it('a release that is asked for twice takes nothing from the next owner', async () => {
  const server = new Server();
  const backend = open(server);
  const [first, next] = [request('twice'), request('twice')];
  await backend.tryAcquire(first, soon());
  // The first had no answer in time; both wait in line for it.
  const releases = [backend.release(first), backend.release(first)];
  await releases[0];
  const grant = backend.tryAcquire(next, soon());
  expect(await Promise.all(releases)).toEqual(['released', 'not-held']);
  expect(await grant).toMatchObject({ outcome: 'granted' });
  expect(await backend.tryAcquire(request('twice'), soon())).toEqual({ outcome: 'busy' });
  expect(await backend.renew([next])).toMatchObject([{ outcome: 'renewed' }]);
  expect(await backend.release(next)).toBe('released');
  expect([...server.held]).toEqual([]);
});

it('who waits for an answer hears that the connection was closed, also from a driver that says nothing', async () => {
  const server = new Server();
  const backend = open(server);
  await backend.tryAcquire(request('first'), soon());
  server.database.lock = () => new Promise(() => undefined);
  const asked = backend.tryAcquire(request('unanswered'), soon());
  const inLine = backend.tryAcquire(request('behind it'), soon());
  await Promise.resolve();
  await backend.close();
  for (const attempt of [asked, inLine]) {
    await expect(attempt).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('the connection was closed'),
    });
  }
});
