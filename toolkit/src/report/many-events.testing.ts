import type { Run } from '../lab/result.ts';
import { packHistory } from '../lab/stored-history.ts';

/** A run with one result of so many writes, each of them served: what it says is nothing, how much of it is everything. */
export function runOfManyEvents(writes: number): Run {
  const lines: string[] = [];
  const add = (atMs: number, by: string, happening: Readonly<Record<string, unknown>>): void => {
    lines.push(JSON.stringify({ t: String(BigInt(Math.round(atMs * 1e6))), by, pid: 1, ...happening }));
  };
  add(0, 'lab', { f: 'run', type: 'event', format: 1, experiment: 'pause', subject: 'many', ttlMs: 3_000 });
  for (const [index, by] of ['A', 'B'].entries()) {
    add(1 + index * 1_000, by, { f: 'acquire', type: 'invoke', op: 1, name: 'x', ttlMs: 3_000, waitMs: 0 });
    add(2 + index * 1_000, by, { f: 'acquire', type: 'ok', op: 1, hold: `${by}1`, token: String(index + 1) });
  }
  for (let seq = 1; seq <= writes; seq++) {
    const by = seq % 3 === 0 ? 'B' : 'A';
    add(1_010 + (seq * 9_000) / writes, 'resource', {
      f: 'served',
      type: 'event',
      seq,
      access: 'write',
      hold: `${by}1`,
      token: by === 'A' ? '1' : '2',
      basedOn: { open: seq - 1, guarded: 0 },
      open: { accepted: true, version: seq, value: seq },
      guarded: by === 'A' ? { accepted: false, floor: '2' } : { accepted: true, version: seq, value: seq },
    });
  }
  add(11_000, 'lab', { f: 'end', type: 'event' });
  const history = packHistory(`${lines.join('\n')}\n`);
  if (!history) throw new Error('That is too many.');
  return {
    version: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    machine: { os: 'x', arch: 'x', cpus: 1, node: 'x', toolkit: 'x', servers: [] },
    experiments: [{ id: 'pause', question: '?' }],
    subjects: [{ name: 'many', server: 'none', origin: 'yours' }],
    results: [
      {
        experiment: 'pause',
        subject: 'many',
        verdict: 'unsafe',
        expected: 'unsafe',
        figures: {},
        checks: [],
        evidence: [],
        history,
      },
    ],
  };
}
