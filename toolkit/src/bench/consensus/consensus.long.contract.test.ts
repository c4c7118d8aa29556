import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findServers } from '../../lab/servers/find-server.ts';

const program = fileURLToPath(new URL('../../../dist/bench/processes/consensus.mjs', import.meta.url));

it.for(['etcd', 'zookeeper'] as const)(
  'the benchmark runs on %s, and a hand-over takes a few calls however many wait',
  { timeout: 300_000 },
  async (kind, { skip }) => {
    const found = findServers()[kind];
    if ('missing' in found) return skip(found.missing);
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--quick', '--only', kind]);
    const rows = stdout.split('\n').map((row) => row.split('|').map((cell) => Number.parseFloat(cell.trim())));
    const lines = stdout.split('\n').flatMap((row, index) => (/^\| holdfast \| 1/.test(row) ? [rows[index]] : []));
    const calls = lines.filter((cells) => (cells?.[3] ?? 0) > 0).map((cells) => cells?.[6]);
    expect(calls).toHaveLength(4);
    for (const each of calls) expect(each).toBeLessThan(10);
    expect(stdout).toMatch(/the signal of the loss comes -\d/);
    return undefined;
  },
);
