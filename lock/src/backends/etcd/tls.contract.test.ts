import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { Authority } from '../../contract/certificates.testing.ts';
import { etcdBackend } from './index.ts';
import { codeOf, World } from './test-support/world.ts';

const world = new World();
afterEach(() => world.end());

it('an authority of our own, a client certificate and an IP address work', async () => {
  const authority = new Authority();
  world.onEnd(() => authority.remove());
  const [server, client] = [authority.sign('server', 'IP:127.0.0.1'), authority.sign('client', 'DNS:client')];
  const { endpoints } = await world.etcd({ tls: { ca: authority.ca, ...server } });
  const tls = { ca: readFileSync(authority.ca), cert: readFileSync(client.cert), key: readFileSync(client.key) };
  const { locks } = world.locks({ endpoints, tls });
  const lease = await locks.lock('t').acquire();
  await lease.confirm();
  await lease.release();
  // Without a certificate the server does not speak with us; without the authority we do not speak with it.
  for (const less of [{ ca: tls.ca }, { cert: tls.cert, key: tls.key }]) {
    expect(await codeOf(world.locks({ endpoints, tls: less }).locks.lock('t').tryAcquire())).toBe('UNAVAILABLE');
  }
});

it('options that do not go together are refused at once', () => {
  expect(() => etcdBackend({ endpoints: ['http://a:1'], tls: {} })).toThrow(/http/);
  expect(() => etcdBackend({ endpoints: ['a:1'], tls: { cert: 'x', chiffre: 'y' } as object })).toThrow(/chiffre/);
  expect(() => etcdBackend({ endpoints: ['a:1'], credentials: { user: 'x' } as never })).toThrow(/password/);
  expect(() => etcdBackend({ endpoints: ['a:1'], keyPrefix: 'a\0' })).toThrow(/keyPrefix/);
});
