/**
 * ZooKeeper: Holdfast beside the bare create and delete of an ephemeral sequential node.
 *
 * @module
 */
import { connect } from 'node:net';
import { createLocks, type Lock } from 'holdfast';
import { zookeeperBackend } from 'holdfast/zookeeper';
import { nodeOf, openZooKeeperCalls, soon } from './own-clients.ts';
import type { PairSubject, System } from './system.ts';

const LANES = 64;

/** As a contender of ours calls its node, and what it writes into it. */
const PREFIX = '_c_01234567-89ab-cdef-0123-456789abcdef-lock-';
const DATA = Buffer.from(JSON.stringify({ owner: 'a-host:1234:0123456789:12', host: 'a-host', pid: 1234 }));

export function zookeeperSystem(address: string): System {
  const backend = zookeeperBackend(address);
  return {
    kind: 'zookeeper',
    pairIds: ['bare create + delete', 'holdfast'],
    lineIds: ['holdfast'],
    backend: () => zookeeperBackend(address),
    openPairs: (id) => (id === 'holdfast' ? openHoldfast(address) : openBare(address)),
    async openLine(_, name, waiters) {
      const locks = createLocks(zookeeperBackend(address), { ttlMs: 60_000, waitMs: 120_000 });
      const contend = async () => {
        const lease = await locks.lock(name).acquire();
        return () => lease.release();
      };
      return { contenders: Array.from({ length: waiters }, () => contend), close: () => locks.close() };
    },
    async inLine(name) {
      const { holder, waiters } = await backend.inspect(name, soon());
      return (holder === null ? 0 : 1) + waiters.length;
    },
    async counts() {
      const report = await fourLetters(address, 'srvr');
      return { calls: Number(/Received: (\d+)/.exec(report)?.[1]), watchMessages: 0, renewals: undefined };
    },
  };
}

async function openBare(address: string): Promise<PairSubject> {
  const client = await openZooKeeperCalls(address);
  const node = await nodeOf(DATA);
  // A lock of ours makes the directories.
  const { pair, close } = await openHoldfast(address);
  for (let lane = 0; lane < LANES; lane++) await pair(lane);
  await close();
  return {
    isConcurrent: true,
    async pair(lane) {
      const { path } = await client.create(`/holdfast/ours-${lane}/${PREFIX}`, node);
      await client.delete(path);
    },
    close: () => client.session.close(soon()),
  };
}

async function openHoldfast(address: string): Promise<PairSubject> {
  const locks = createLocks(zookeeperBackend(address), { ttlMs: 60_000 });
  const lanes = Array.from({ length: LANES }, (_, lane) => locks.lock(`ours-${lane}`));
  return {
    isConcurrent: true,
    pair: async (lane) => (await (lanes[lane] as Lock).acquire()).release(),
    close: () => locks.close(),
  };
}

function fourLetters(address: string, command: string): Promise<string> {
  const [host = '', port] = address.split(':');
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host, port: Number(port) }, () => socket.write(command));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
}
