import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../until.ts';
import { BlackHole } from './black-hole.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that answers with what it hears, a client of it, and what lies between them. */
async function line(): Promise<{
  way: BlackHole;
  client: Socket;
  server: Socket;
  heard: string[];
  ends: () => number;
}> {
  const heard: string[] = [];
  const accepted: Socket[] = [];
  const echo = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => socket.write(chunk));
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  let ends = 0;
  const way = await BlackHole.start((echo.address() as AddressInfo).port, () => ends++);
  const client = connect({ host: '127.0.0.1', port: way.port });
  client.on('data', (chunk) => heard.push(String(chunk)));
  closers.push(
    () => client.destroy(),
    () => way.close(),
    () => echo.close(),
  );
  client.write('before');
  await until('An answer', () => heard.length === 1, { limitMs: 10_000 });
  return { way, client, server: accepted[0] as Socket, heard, ends: () => ends };
}

describe('a way that is cut', () => {
  it('carries nothing any more, and ends nothing', async () => {
    const { way, client, server, heard } = await line();
    way.cut();
    client.write('after');
    server.write('after');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).toEqual(['before']);
    expect([client.destroyed, server.destroyed, way.connections]).toEqual([false, false, 1]);
  });

  it('does not tell the server that the client has gone', async () => {
    const { way, client, server } = await line();
    way.cut();
    client.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([server.destroyed, server.readableEnded, way.connections]).toEqual([false, false, 1]);
  });

  it('tells the lab that the server has given up, and the client nothing', async () => {
    const { way, client, server, ends } = await line();
    way.cut();
    server.end();
    await until('The end being seen', () => ends() === 1, { limitMs: 10_000 });
    expect(client.readableEnded).toBe(false);
    expect(way.connections).toBe(0);
  });

  it('carries what goes the other way, where only one way is cut', async () => {
    const { way, client, server, heard } = await line();
    const asked: string[] = [];
    server.on('data', (chunk) => asked.push(String(chunk)));
    way.cut('answers');
    client.write('asked');
    await until('A request', () => asked.length === 1, { limitMs: 10_000 });
    expect(heard).toEqual(['before']);
    way.mend();
    await until('The answer to it', () => heard.join('') === 'beforeasked', { limitMs: 10_000 });
    way.cut('requests');
    client.write('unheard');
    server.write('told');
    await until('A word of the server', () => heard.join('') === 'beforeaskedtold', { limitMs: 10_000 });
    expect(asked).toEqual(['asked']);
  });

  it('carries what it has held back when it is mended, in its order', async () => {
    const { way, client, heard } = await line();
    way.cut();
    client.write('one ');
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.write('two');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard).toEqual(['before']);
    way.mend();
    await until('The answer', () => heard.join('') === 'beforeone two', { limitMs: 10_000 });
  });

  it('carries everything later, each way, where it is slow', async () => {
    const { way, client, heard } = await line();
    way.slow(100);
    const sentAt = performance.now();
    client.write('late');
    await until('The answer', () => heard.length === 2, { limitMs: 10_000 });
    expect(performance.now() - sentAt).toBeGreaterThan(195);
  });

  it('lets nothing overtake what is still on its way when it is no longer slow', async () => {
    const { way, client, server, heard } = await line();
    const asked: string[] = [];
    server.on('data', (chunk) => asked.push(String(chunk)));
    way.slow(60_000);
    client.write('one ');
    await new Promise((resolve) => setTimeout(resolve, 50));
    way.mend();
    client.write('two');
    await until('The answer', () => heard.join('') === 'beforeone two', { limitMs: 10_000 });
    expect(asked.join('')).toBe('one two');
  });

  it('takes new connections, and lets them hang', async () => {
    const { way } = await line();
    way.cut();
    const late = connect({ host: '127.0.0.1', port: way.port });
    closers.push(() => late.destroy());
    await once(late, 'connect');
    late.write('hello');
    expect(way.connections).toBe(1);
  });
});
