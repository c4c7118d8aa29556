// Figures of the sqlite backend on this machine: node measure.mjs [serial|handover|kill|stall|idle|tokens] …, after a build.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteBackend } from '../../../../dist/backends/sqlite/index.mjs';
import { systemClock } from '../../../../dist/index.mjs';
import { loadEngine } from './engine.mjs';

const program = fileURLToPath(new URL('process.mjs', import.meta.url));
const engine = await loadEngine();
const directory = mkdtempSync(path.join(tmpdir(), 'holdfast-measure-'));
const soon = () => systemClock.now() + 10_000;
const children = new Set();

async function start() {
  const child = fork(program, [JSON.stringify({ directory })], { serialization: 'advanced' });
  children.add(child);
  child.on('exit', () => children.delete(child));
  child.setMaxListeners(0);
  await once(child, 'message');
  let sent = 0;
  const send = (...message) => {
    const number = ++sent;
    child.send([number, ...message]);
    return new Promise((resolve, reject) => {
      const take = ([answered, error, value]) => {
        if (answered !== number) return;
        child.off('message', take);
        if (error === null) resolve(value);
        else reject(new Error(error.message));
      };
      child.on('message', take);
    });
  };
  return { child, send };
}

async function stop(processes) {
  for (const { child } of processes) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

const rank = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const spread = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return `p50 ${rank(sorted, 0.5).toFixed(2)}, p95 ${rank(sorted, 0.95).toFixed(2)}, most ${sorted.at(-1).toFixed(2)}`;
};

const measurements = {
  /** Pairs of acquire and release, one after the other, in one process, against bare transactions on the same engine. */
  async serial() {
    const backend = sqliteBackend(engine.open, { directory });
    const request = { name: 'serial', ttlMs: 30_000, heartbeatMs: 10_000, purpose: undefined };
    const bare = engine.open(path.join(directory, 'bare.db'));
    bare.exec('PRAGMA journal_mode=PERSIST; PRAGMA synchronous=OFF; CREATE TABLE t (n TEXT PRIMARY KEY, o TEXT)');
    const [put, remove, begin, commit] = [
      "INSERT INTO t VALUES ('a', 'b')",
      'DELETE FROM t',
      'BEGIN EXCLUSIVE',
      'COMMIT',
    ].map((sql) => bare.prepare(sql));
    const rates = { backend: [], bare: [] };
    for (let round = 0; round < 15; round++) {
      let began = performance.now();
      for (let n = 0; n < 1_000; n++) {
        const owner = `o-${round}-${n}`;
        await backend.queue('enter', { ...request, owner }, soon());
        await backend.release({ ...request, owner }, soon());
      }
      rates.backend.push(1e6 / (performance.now() - began));
      began = performance.now();
      for (let n = 0; n < 1_000; n++) {
        for (const statement of [begin, put, commit, begin, remove, commit]) statement.run();
      }
      rates.bare.push(1e6 / (performance.now() - began));
    }
    console.log(`serial, pairs/s: ${spread(rates.backend)}; bare transactions: ${spread(rates.bare)}`);
    bare.close();
    await backend.close();
  },

  /** From the moment before the release to the moment in which the next has it, in another process. */
  async handover() {
    for (const [processes, each] of [
      [2, 1],
      [4, 3],
      [4, 25],
    ]) {
      const others = await Promise.all(Array.from({ length: processes }, start));
      const times = 400;
      const lists = await Promise.all(others.map(({ send }) => send('passOn', `h-${each}`, each, times, 30_000)));
      const holds = lists
        .flatMap((list, index) => list.map((hold) => ({ ...hold, index })))
        .sort((a, b) => a.fromMs - b.fromMs);
      const between = [];
      const within = [];
      for (let n = 1; n < holds.length; n++) {
        const list = holds[n].index === holds[n - 1].index ? within : between;
        list.push(holds[n].fromMs - holds[n - 1].toMs);
      }
      const inOrder = holds.every(({ token }, n) => n === 0 || BigInt(token) > BigInt(holds[n - 1].token));
      console.log(
        `hand-over, ${processes} processes with ${each} waiters each, ms: ${spread(between)} (${between.length}); ` +
          `within one process: ${within.length === 0 ? '-' : spread(within)} (${within.length}); ` +
          `tokens in order of the holds: ${inOrder}`,
      );
      await stop(others);
    }
  },

  /** From kill -9 of the holder to the moment in which a waiter of another process has the lock. */
  async kill() {
    const took = [];
    for (let n = 0; n < 20; n++) {
      const [holder, waiter] = await Promise.all([start(), start()]);
      const request = { name: `k-${n}`, ttlMs: 60_000, heartbeatMs: 5_000, purpose: undefined };
      await holder.send('acquire', { ...request, owner: `h-${n}` });
      const acquired = waiter.send('acquire', { ...request, owner: `w-${n}` });
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 50));
      const killedMs = Number(process.hrtime.bigint()) / 1e6;
      holder.child.kill('SIGKILL');
      took.push((await acquired).atMs - killedMs);
      await stop([waiter]);
    }
    console.log(`free after kill -9, ms: ${spread(took)} (${took.length})`);
  },

  /**
   * Eight processes that take and release as fast as they can. How much of a stall is only the want of a processor is
   * told by eight that compute, before and after.
   */
  async stall() {
    for (const names of [['s'], ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'], ['s']]) {
      const others = await Promise.all(Array.from({ length: 8 }, start));
      const each = (...message) => Promise.all(others.map(({ send }) => send(...message)));
      const longest = (list) => Math.max(...list.map(({ stallMs }) => stallMs)).toFixed(1);
      const before = await each('compute', 3_000);
      const results = await each('saturate', names, 5_000);
      const after = await each('compute', 3_000);
      const pairs = results.map((result) => result.pairs);
      console.log(
        `8 saturating processes, ${names.length} names: longest stall ${longest(results)} ms (of computing only: ` +
          `${longest(before)} before, ${longest(after)} after), longest pair ` +
          `${Math.max(...results.map((r) => r.worstMs)).toFixed(1)} ms, pairs/s ` +
          `${(pairs.reduce((a, b) => a + b) / 5).toFixed(0)}, each ${Math.min(...pairs)} to ${Math.max(...pairs)}, ` +
          `errors ${results.reduce((sum, r) => sum + r.errors, 0)}`,
      );
      await stop(others);
    }
  },

  /** What waiting costs while nothing happens. */
  async idle() {
    for (const waits of [1, 64]) {
      const [holder, waiter] = await Promise.all([start(), start()]);
      for (let n = 0; n < waits; n++) {
        const request = { name: `i-${n}`, ttlMs: 600_000, heartbeatMs: 5_000, purpose: undefined };
        await holder.send('acquire', { ...request, owner: `h-${n}` });
        waiter.send('acquire', { ...request, owner: `w-${n}` }).catch(() => undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await waiter.send('usage');
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      console.log(
        `${waits} waits in one process, idle: ${((await waiter.send('usage')) * 100).toFixed(1)} % of a core`,
      );
      await stop([holder, waiter]);
    }
  },

  /** Kills processes at random moments while others go on: no token ever goes back, none is above the floor. */
  async tokens() {
    const kills = Number(process.env.KILLS ?? 1_000);
    const names = ['t0', 't1', 't2'];
    const last = new Map(names.map((name) => [name, 0n]));
    const seen = new Set();
    let tokens = 0;
    let worse = 0;
    const churn = async () => {
      const other = await start();
      other.child.on('message', ([kind, name, text]) => {
        if (kind !== 'token') return;
        tokens++;
        other.reported.push([name, BigInt(text)]);
      });
      other.reported = [];
      other.send('churn', names, 60_000).catch(() => undefined);
      return other;
    };
    const began = performance.now();
    // Some more are starting than are needed, so that a kill does not wait for a start.
    const starting = Array.from({ length: 5 }, churn);
    const running = [await starting.shift(), await starting.shift()];
    for (let n = 0; n < kills; n++) {
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 40));
      const victim = running.shift();
      await stop([victim]);
      starting.push(churn());
      running.push(await starting.shift());
      for (const [name, token] of victim.reported) {
        if (seen.has(token)) worse++; // all locks of a directory draw from one counter
        seen.add(token);
        if (token > last.get(name)) last.set(name, token);
      }
      // A token of our own after each kill is above all that the victim has reported.
      const backend = sqliteBackend(engine.open, { directory });
      for (const name of names) {
        const { raiseTo } = await backend.breakLock(name, soon());
        if (raiseTo <= last.get(name)) worse++;
        last.set(name, raiseTo);
      }
      await backend.close();
      if ((n + 1) % 100 === 0) console.error(`${n + 1} kills, ${tokens} tokens`);
    }
    await stop([...running, ...(await Promise.all(starting))]);
    const floor = BigInt(readdirSync(path.join(directory, 'floor')).sort().at(-1)); // names of equal length
    const above = [...last.values()].filter((token) => token > floor).length;
    console.log(
      `${kills} kills -9 in ${((performance.now() - began) / 1e3).toFixed(0)} s, ${tokens} tokens reported: ` +
        `${worse} repeated or went back, ${above} above the floor on disk`,
    );
    if (worse + above > 0) process.exitCode = 1;
  },
};

const wanted = process.argv.slice(2);
console.log(`${engine.name}, Node ${process.version}`);
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(measurements)) await measurements[name]();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
