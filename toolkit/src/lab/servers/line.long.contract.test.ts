import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Reaper } from '../reaper.ts';
import { until } from '../until.ts';
import { Network, whyNoLine } from './line.ts';
import { startProgram } from './program.ts';

const PORT = 7_000;

/** Sends back what it is sent. */
const ECHO = `require('net').createServer((s) => s.on('error', () => {}).pipe(s)).listen(${PORT}, '0.0.0.0')`;

let reaper: Reaper | undefined;
let network: Network | undefined;

beforeEach(async (context) => {
  const missing = whyNoLine();
  if (missing !== undefined) context.skip(missing);
  reaper = await Reaper.start();
  network = await Network.start(reaper, reaper.folder);
  const [file = '', ...args] = [...network.enter, process.execPath, '-e', ECHO];
  startProgram(reaper, { name: 'echo', file, args, folder: reaper.folder });
});

afterEach(async () => {
  await network?.stop();
  await reaper?.close();
  network = undefined;
  reaper = undefined;
});

it('a line that is cut loses what is sent, its other neighbour does not, and nothing of it stays behind', async () => {
  const { line, lineOfA } = network as Network;
  // Others may have lines of their own on this machine at the same time.
  const ends = [line, lineOfA].map(({ address }) => address.replace(/\d+$/, (last) => String(Number(last) - 1)));
  const ourCards = (): string[] =>
    Object.entries(networkInterfaces()).flatMap(([name, all]) =>
      all?.some(({ address }) => ends.includes(address)) ? [name] : [],
    );
  const [cut, whole] = [await connected(lineOfA.address), await connected(line.address)];
  expect(await says(cut, 'before', 10_000)).toBe('before');
  const [standing] = [...lineOfA.connections().values()];
  expect(standing).toEqual({ state: 'established', unacknowledgedBytes: 0 });

  await lineOfA.cutAnswers();
  expect(await says(cut, 'lost', 500)).toBe('');
  // It has arrived, and the answer is on its way for ever.
  expect([...lineOfA.connections().values()]).toEqual([{ state: 'established', unacknowledgedBytes: 4 }]);
  await lineOfA.cutRequests();
  expect(await says(cut, 'more', 500)).toBe('');
  expect([...lineOfA.connections().values()]).toEqual([{ state: 'established', unacknowledgedBytes: 4 }]);
  expect(await says(whole, 'as ever', 10_000)).toBe('as ever');

  expect(ourCards()).toHaveLength(2);
  for (const socket of [cut, whole]) socket.destroy();
  await network?.stop();
  network = undefined;
  expect(ourCards()).toEqual([]);
}, 60_000);

type Socket = ReturnType<typeof connect>;

async function connected(host: string): Promise<Socket> {
  return await until(
    'The echo answering',
    async () => {
      const socket = connect({ host, port: PORT, noDelay: true });
      try {
        await once(socket, 'connect');
        return socket;
      } catch {
        return false;
      }
    },
    { limitMs: 20_000, everyMs: 50 },
  );
}

/** What comes back within so long. */
async function says(socket: Socket, text: string, limitMs: number): Promise<string> {
  socket.on('error', () => {});
  socket.write(text);
  const heard = once(socket, 'data').then(([chunk]) => String(chunk));
  heard.catch(() => {});
  return await Promise.race([heard, sleep(limitMs, '')]);
}
