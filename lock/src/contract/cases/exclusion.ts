import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContractCase } from '../subject.ts';
import { needs, requestFor, soon } from './abilities.ts';

export const exclusionCases: readonly ContractCase[] = [
  {
    name: 'several processes under load never hold it at once, and their tokens rise in the order of their holds',
    timeoutMs: 60_000,
    async run(t) {
      const [processes, callers, rounds] = [4, 2, 25];
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-contract-'));
      t.onEnd(() => rm(folder, { recursive: true }));
      const [counterFile, logFile] = [join(folder, 'counter'), join(folder, 'log')];
      await writeFile(counterFile, '0');
      const name = t.name();
      const workers = await Promise.all(Array.from({ length: processes }, () => t.process({ ttlMs: 10_000 })));
      const command = { name, rounds, callers, waitMs: 50_000, counterFile, logFile };
      await Promise.all(workers.map((worker) => worker.loop(command)));
      assert.equal(await readFile(counterFile, 'utf8'), String(processes * callers * rounds));
      const tokens = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
      assert.equal(tokens.length, processes * callers * rounds);
      if (tokens[0] === 'undefined') return;
      for (const [index, token] of tokens.entries()) {
        if (index > 0)
          assert.ok(BigInt(token) > BigInt(tokens[index - 1] as string), `${tokens[index - 1]}, then ${token}`);
      }
    },
  },
  {
    name: 'each grant has a larger token than all before, also after a hold that ran out',
    async run(t) {
      const name = t.name();
      const backend = needs.tokens(await t.backend());
      let last = 0n;
      for (let round = 0; round < 20; round++) {
        const request = requestFor(name, { ttlMs: round % 5 === 4 ? 50 : 1_000 });
        const granted = await grantOf(() => backend.tryAcquire(request, soon()));
        assert.ok(granted > last, `${last}, then ${granted}`);
        last = granted;
        if (round % 5 !== 4) await backend.release(request, soon());
      }
    },
  },
];

/** Tries until it is granted, and gives the token. */
async function grantOf(attempt: () => Promise<{ outcome: string; fencingToken?: bigint }>): Promise<bigint> {
  for (;;) {
    const answer = await attempt();
    if (answer.outcome === 'granted') return answer.fencingToken as bigint;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
