import { describe, expect, it } from 'vitest';
import { AddressError, parseAddress, redact } from './address.ts';

describe('a zookeeper:// URL', () => {
  it('names servers and a chroot, as a connect string does', () => {
    expect(parseAddress('zookeeper://zk1:2181,zk2:2182/app/locks')).toMatchObject({
      kind: 'zookeeper',
      servers: 'zk1:2181,zk2:2182/app/locks',
      digest: undefined,
      tls: false,
      description: 'zookeeper://zk1:2181,zk2:2182/app/locks',
    });
    expect(parseAddress('zookeepers://zk1')).toMatchObject({ servers: 'zk1', tls: true });
  });

  it('may have a user and a password, which no description shows', () => {
    const address = parseAddress('zookeeper://lock:s%40cret@zk1:2181/app');
    expect(address).toMatchObject({
      servers: 'zk1:2181/app',
      digest: { user: 'lock', password: 's@cret' },
      description: 'zookeeper://lock:***@zk1:2181/app',
    });
    expect(redact('refused: s@cret', address)).toBe('refused: ***');
  });

  it('is refused where it cannot be meant, without its password in the message', () => {
    for (const url of [
      'zookeeper:',
      'zookeeper://',
      'zookeeper:///app',
      'zookeeper://only-user@zk1',
      'zookeeper://a:b@c:d@zk1',
    ]) {
      expect(() => parseAddress(url), url).toThrow(AddressError);
    }
  });
});
