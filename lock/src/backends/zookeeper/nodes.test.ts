import { describe, expect, it } from 'vitest';
import { isPath } from './client/paths.ts';
import { fromPart, nodeData, nodePrefix, readNode, toPart } from './nodes.ts';

const request = { name: 'a', owner: 'x:1', ttlMs: 1, purpose: 'export', heartbeatMs: 1 };

describe('the nodes of a lock', () => {
  it('are called as the lock, where a path can be called so', () => {
    for (const name of ['order:1001', 'a b', '{x}', 'é', '...']) expect(toPart(name)).toBe(name);
  });

  it('have names that ZooKeeper takes, that are different for different locks, and that give the name back', () => {
    const names = ['a/b', 'a%2Fb', '/', '//', '.', '..', '%2E', '\n', '🔒', '\ue000', '\uffff', '\u0085', '%'];
    const parts = names.map(toPart);
    for (const part of parts) expect(isPath(`/${part}`), part).toBe(true);
    expect(new Set(parts).size).toBe(names.length);
    expect(parts.map(fromPart)).toEqual(names);
  });

  it('begin as Curator lets them, with a UUID of the owner and the session', () => {
    const prefix = nodePrefix('x:1', 255n);
    expect(prefix).toMatch(/^_c_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}-lock-$/);
    expect(nodePrefix('x:1', 255n)).toBe(prefix);
    expect(nodePrefix('x:1', 256n)).not.toBe(prefix);
    expect(nodePrefix('x:2', 255n)).not.toBe(prefix);
  });

  it('say who has made them, and others are told by their name and address', () => {
    expect(readNode('n', nodeData(request))).toMatchObject({
      owner: 'x:1',
      pid: process.pid,
      purpose: 'export',
      foreign: false,
    });
    const foreign = { owner: 'n', pid: undefined, purpose: undefined, foreign: true };
    expect(readNode('n', Buffer.from('192.168.1.7'))).toEqual({ ...foreign, host: '192.168.1.7' });
    for (const text of ['', '{"owner":"x"}', '[1]', 'null', '\0']) {
      expect(readNode('n', Buffer.from(text))).toMatchObject({ owner: 'n', foreign: true });
    }
  });
});
