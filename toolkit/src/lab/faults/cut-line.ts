/**
 * The line between the holder and the server is cut, and nobody is told: what is sent is lost, and TCP sends it again until
 * it gives up. What then becomes of the holder's connections at the server is written down.
 *
 * @module
 */
import { inflict, type Scene } from '../scene.ts';
import type { Line } from '../servers/line.ts';
import { until } from '../until.ts';
import { ANSWER_LIMIT_MS } from '../workloads/steps.ts';
import { patienceOf } from '../workloads/take-over.ts';
import type { Fault } from './fault.ts';

/** How often one looks at what the server's kernel has. */
const LOOK_EVERY_MS = 50;

/** The holder is between two pieces of work, and the server has nothing to send. */
export const cutLine: Fault = {
  holderSurvives: false,
  async inject(scene) {
    await scene.holders.A.ask('finish', {});
    scene.report("cutting the holder's network");
    const line = lineOf(scene);
    await inflict(
      scene,
      { act: 'cut', target: 'A', says: 'its line to the server is cut: what either sends is lost' },
      async () => {
        await line.cutRequests();
        await line.cutAnswers();
      },
      async () => {
        const { count, unacknowledgedBytes } = standing(line);
        if (count === 0) throw new Error('the holder had no connection that could be cut');
        if (unacknowledgedBytes > 0) throw new Error('an answer was on its way');
        return `the server still has ${count} of its connections, and nothing to send on them`;
      },
    );
    watch(scene, line);
    return undefined;
  },
};

/** The holder asks for the lock, the server gives it, and the answer is on its way when the line is cut. */
export const cutLineOfAnswer: Fault = {
  holderSurvives: false,
  async inject(scene) {
    const { holders, lockName: name, timing } = scene;
    const { ttlMs } = timing;
    const line = lineOf(scene);
    scene.report('cutting the line while an answer is on it');
    await inflict(
      scene,
      {
        act: 'cut',
        target: 'A',
        says: 'asks for the lock, and its line to the server is cut while the answer is on it',
      },
      async () => {
        await line.cutAnswers();
        const limitMs = patienceOf(timing) + 2 * ANSWER_LIMIT_MS;
        // Some wait for ever, and some say that they do not know: what becomes of the lock is asked elsewhere.
        holders.A.ask('acquire', { name, ttlMs, waitMs: 0 }, limitMs).catch(() => {});
        const isOnItsWay = (): boolean => standing(line).unacknowledgedBytes > 0;
        await until('An answer on the line', isOnItsWay, {
          limitMs: ANSWER_LIMIT_MS,
          everyMs: 5,
          signal: scene.signal,
        });
        const { outcome } = await holders.B.ask('acquire', { name, ttlMs, waitMs: 0 });
        if (outcome !== 'busy') throw new Error('the server had not given A the lock');
        await line.cutRequests();
      },
      async () => {
        const { unacknowledgedBytes } = standing(line);
        if (unacknowledgedBytes === 0) throw new Error('the answer had arrived');
        return `the server has ${unacknowledgedBytes} bytes for it that are not acknowledged, and refuses B`;
      },
    );
    watch(scene, line);
    return undefined;
  },
};

function lineOf({ cluster }: Scene): Line {
  if (!cluster.lineOfA) throw new Error('There is no line that can be cut.');
  return cluster.lineOfA;
}

function standing(line: Line): { readonly count: number; readonly unacknowledgedBytes: number } {
  const connections = [...line.connections().values()].filter(({ state }) => state === 'established');
  const unacknowledgedBytes = connections.reduce((sum, connection) => sum + connection.unacknowledgedBytes, 0);
  return { count: connections.length, unacknowledgedBytes };
}

/** A connection that the server ends waits for the holder's word; one that is reset or given up is gone. */
function watch({ history, cluster, onEnd }: Scene, line: Line): void {
  const server = cluster.servers[0]?.split(' ')[0] ?? 'server';
  const ports = [...line.connections()].flatMap(([port, { state }]) => (state === 'established' ? [port] : []));
  const open = new Set(ports);
  const timer = setInterval(() => {
    const now = line.connections();
    for (const port of open) {
      const state = now.get(port)?.state;
      if (state === 'established') continue;
      open.delete(port);
      const says =
        state === 'ended-by-server'
          ? 'ends a session of A, which has been silent for too long'
          : 'has no connection to A any more';
      history.write({ f: 'server', type: 'event', event: 'session-end', says }, server);
    }
  }, LOOK_EVERY_MS);
  onEnd(() => clearInterval(timer));
}
