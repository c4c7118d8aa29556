import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Authority } from '../../contract/certificates.testing.ts';
import { Relay } from '../../contract/relay.ts';
import { until } from '../../contract/subject.ts';
import type { ZooKeeperBackendOptions } from './index.ts';
import { freePorts, whyNoZooKeeper, ZooKeeperServer } from './test-support/servers.ts';
import { World } from './test-support/world.ts';

const missing = whyNoZooKeeper();

/** The first handshakes of a Java program take long. */
const patient = { ttlMs: 15_000, waitMs: 20_000 };

describe.skipIf(missing !== undefined)('a ZooKeeper that speaks TLS, and wants to see a certificate', () => {
  let server: ZooKeeperServer;
  let securePort: number;
  let ours: { ca: Buffer; cert: Buffer; key: Buffer };
  let strangers: typeof ours;
  const authorities: Authority[] = [];

  const world = new World();
  afterEach(() => world.end());

  function clientOf(authority: Authority): typeof ours {
    const { cert, key } = authority.sign('client', 'DNS:client');
    return { ca: readFileSync(authority.ca), cert: readFileSync(cert), key: readFileSync(key) };
  }

  /** What an attempt ends with, and why: the errors that led to it. */
  async function refusal(servers: string, options: ZooKeeperBackendOptions): Promise<string> {
    // A call is a quarter of the TTL: on a busy machine several handshakes at once take longer than a short one has.
    const asking = world.locks(servers, { ttlMs: 8_000 }, options).lock('tls').acquire({ waitMs: 2_500 });
    let error: unknown = await asking.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    const messages: string[] = [];
    for (; error instanceof Error; error = error.cause) messages.push(error.message);
    return messages.join('\n');
  }

  beforeAll(async () => {
    const [authority, other] = [new Authority(), new Authority()];
    authorities.push(authority, other);
    [securePort] = (await freePorts(1)) as [number];
    const { both } = authority.sign('server', 'IP:127.0.0.1,DNS:zk.example');
    [ours, strangers] = [clientOf(authority), clientOf(other)];
    server = await ZooKeeperServer.start({ tls: { port: securePort, ca: authority.ca, both } });
  }, 60_000);

  afterAll(async () => {
    await server?.stop();
    for (const authority of authorities) authority.remove();
  });

  it('gives a lock to who has a certificate, at an IP address, and takes the session up again after a cut', async () => {
    const relay = await Relay.start(securePort);
    world.onEnd(() => relay.close());
    const lease = await world.locks(`127.0.0.1:${relay.port}`, patient, { tls: ours }).lock('tls').acquire();
    await lease.confirm();
    expect(await world.locks(`127.0.0.1:${securePort}`, patient, { tls: ours }).lock('tls').tryAcquire()).toBeNull();
    // It is the same ZooKeeper as on the port without TLS.
    expect(await world.locks(server.address, patient).lock('tls').tryAcquire()).toBeNull();
    relay.cut();
    await until('the news of the cut', () => lease.state === 'at-risk');
    relay.heal();
    await until('a renewal on the new connection', () => lease.state === 'held');
    await lease.release();
  });

  it('is refused by us, or refuses us, where a certificate is missing or of another authority', async () => {
    const { ca, cert, key } = ours;
    const at = `127.0.0.1:${securePort}`;
    const refusals = [{ ca }, { ...strangers, ca }, { cert, key }, { ...ours, ca: strangers.ca }, undefined].map(
      (tls) => refusal(at, tls === undefined ? {} : { tls }),
    );
    const [none, another, unknown, wrong, plain] = await Promise.all(refusals);
    for (const byServer of [none, another]) expect(byServer).toMatch(/alert|closed|reset/);
    for (const byUs of [unknown, wrong]) expect(byUs).toMatch(/unable to verify/);
    expect(plain).toMatch(/closed|reset/); // it speaks no TLS at all
  });

  it('must have a certificate for the name that it is called by, or for the one in `servername`', async () => {
    const called = `localhost:${securePort}`;
    expect(await refusal(called, { tls: ours })).toMatch(/altnames/);
    const tls = { ...ours, servername: 'zk.example' };
    const lease = await world.locks(called, patient, { tls }).lock('name').acquire();
    await lease.release();
  });
});
