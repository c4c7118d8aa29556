import { describe, expect, it } from 'vitest';
import { parseConnectString, shuffle } from './hosts.ts';

describe('a connect string', () => {
  it('names servers, ports and a chroot', () => {
    expect(parseConnectString('zk1, zk2:2182,[::1]:2183/app/locks/')).toEqual({
      hosts: [
        { host: 'zk1', port: 2181 },
        { host: 'zk2', port: 2182 },
        { host: '::1', port: 2183 },
      ],
      chroot: '/app/locks',
    });
  });

  it('is refused where it cannot be meant', () => {
    for (const text of ['', 'zk1,', 'zk1:0', 'zk1:70000', 'zk1:port', 'http://zk1', 'zk1/a//b', 'zk1/../b']) {
      expect(() => parseConnectString(text), text).toThrow(RangeError);
    }
  });

  it('is used in a random order, with every server once', () => {
    const hosts = [1, 2, 3, 4, 5];
    expect(shuffle(hosts, () => 0)).not.toEqual(hosts);
    expect(shuffle(hosts, Math.random).sort()).toEqual(hosts);
  });
});
