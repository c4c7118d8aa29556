import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { etcdBackend } from './index.ts';
import { codeOf, World } from './test-support/world.ts';

const world = new World();
afterEach(() => world.end());

/** An authority of our own, and two certificates that it has signed: a server's for 127.0.0.1, and a client's. */
function certificates(): { readonly ca: string; readonly server: Pair; readonly client: Pair } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-etcd-tls-'));
  world.onEnd(() => rmSync(folder, { recursive: true }));
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...curve, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=authority');
  const sign = (name: string, subjectAltName: string): Pair => {
    openssl('req', ...curve, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(
      join(folder, `${name}.ext`),
      `subjectAltName=${subjectAltName}\nextendedKeyUsage=serverAuth,clientAuth\n`,
    );
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-out', `${name}.pem`, '-days', '2', '-extfile', `${name}.ext`],
    );
    return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  };
  return { ca: join(folder, 'ca.pem'), server: sign('server', 'IP:127.0.0.1'), client: sign('client', 'DNS:client') };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

it('an authority of our own, a client certificate and an IP address work', async () => {
  const { ca, server, client } = certificates();
  const { endpoints } = await world.etcd({ tls: { ca, ...server } });
  const tls = { ca: readFileSync(ca), cert: readFileSync(client.cert), key: readFileSync(client.key) };
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
