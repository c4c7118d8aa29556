import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseToken } from '../core/fencing.ts';
import { checkFencingToken } from './http.ts';
import { memoryGuard } from './memory.ts';

it('a token above 2^53 goes through JSON and a header with all its digits, and so do both numbers of a refusal', async () => {
  const guard = memoryGuard({ source: 'test' });
  const server = createServer(async (request, response) => {
    const refusal = await checkFencingToken(guard, 'account', request.headers);
    response.writeHead(refusal?.status ?? 200, refusal?.headers).end(refusal?.body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = (job: string): Promise<Response> => {
    const { token } = JSON.parse(job) as { token: string };
    return fetch(url, { headers: { 'fencing-token': String(parseToken(token)), connection: 'close' } });
  };
  for (const token of [2n ** 53n + 1n, 2n ** 63n - 1n]) {
    expect((await send(JSON.stringify({ token: String(token) }))).status).toBe(200);
    const refused = await send(JSON.stringify({ token: String(token - 1n) }));
    expect(refused.status).toBe(412);
    const { detail } = (await refused.json()) as { detail: string };
    expect(detail).toContain(` ${token - 1n} is stale`);
    expect(detail).toContain(` with ${token},`);
  }
  const rounded = JSON.stringify({ token: Number(2n ** 53n + 1n) });
  expect(() => send(rounded)).toThrow(TypeError);
});
