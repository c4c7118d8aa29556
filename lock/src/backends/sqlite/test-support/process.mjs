// A process that has one backend object and does with it what its parent says, over the IPC channel. It runs the built
// package. A message is [number, command, ...arguments]; the answer is [number, error or null, value].
import { appendFileSync, unlinkSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sqliteBackend } from '../../../../dist/backends/sqlite/index.mjs';
import { systemClock } from '../../../../dist/index.mjs';
import { loadEngine } from './engine.mjs';

const { engine, ...options } = JSON.parse(process.argv[2]);
const { open } = await loadEngine(engine);
const backend = sqliteBackend(open, options);
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
const soon = () => systemClock.now() + 10_000;

backend.onLoss((owner, reason) => process.send?.(['loss', owner, reason]));

const commands = {
  /** Any method of the backend; the deadline is added. */
  call: (method, ...args) => backend[method](...args, soon()),
  acquire,
  saturate,
  compute,
  usage,
  passOn,
  /** Takes one lock after another for ever, and reports each token before it is given back. */
  async churn(names, ttlMs) {
    for (;;) {
      const name = names[Math.floor(Math.random() * names.length)];
      const request = newRequest(name, ttlMs);
      const { token } = await acquire(request);
      if (token === undefined) continue; // it was broken before it was seen
      process.send?.(['token', name, String(token)]);
      await backend.release(request, soon());
    }
  },
  close: () => backend.close(),
  /** Fills the disk up with a file. */
  fill(file) {
    for (const size of [65_536, 4_096, 512]) {
      try {
        for (;;) appendFileSync(file, Buffer.alloc(size));
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
      }
    }
  },
  remove: (file) => unlinkSync(file),
};

/** Waits in the queue, with heartbeats, as the core does. */
async function acquire(request) {
  const askedMs = nowMs();
  let step = 'enter';
  for (;;) {
    let timer;
    let stop;
    const woken = new Promise((resolve) => {
      stop = backend.listen(request, (granted) => resolve(granted ?? 'look'));
      timer = setTimeout(resolve, request.heartbeatMs);
    });
    try {
      const answer = await backend.queue(step, request, soon());
      if (answer.outcome === 'granted') return { token: answer.fencingToken, atMs: nowMs(), askedMs };
      if (answer.outcome === 'gone') return { gone: true };
      step = 'stay';
      const retry = answer.retryInMs === undefined ? new Promise(() => undefined) : sleep(answer.retryInMs + 1);
      const news = await Promise.race([woken, retry]);
      if (news?.outcome === 'granted') return { token: news.fencingToken, atMs: nowMs(), askedMs };
    } finally {
      clearTimeout(timer);
      stop();
    }
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

let made = 0;
function newRequest(name, ttlMs) {
  return { name, owner: `${process.pid}-${++made}`, ttlMs, heartbeatMs: ttlMs / 3, purpose: undefined };
}

/** Takes and releases as fast as it can: how many times, and for how long the event loop stood still at most. */
async function saturate(names, forMs) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const until = performance.now() + forMs;
  const took = [];
  let errors = 0;
  while (performance.now() < until) {
    const request = newRequest(names[took.length % names.length], 10_000);
    const began = performance.now();
    try {
      const answer = await backend.tryAcquire(request, soon());
      if (answer.outcome === 'granted') await backend.release(request, soon());
    } catch {
      errors++;
    }
    took.push(performance.now() - began);
  }
  delay.disable();
  took.sort((a, b) => a - b);
  return { pairs: took.length, errors, stallMs: delay.max / 1e6, worstMs: took.at(-1), p50Ms: took[took.length >> 1] };
}

/** Computes, and does nothing else: how long the event loop stands still for want of a processor. */
async function compute(forMs) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const sliceEnd = performance.now() + 0.2;
    while (performance.now() < sliceEnd);
    await new Promise((resolve) => setImmediate(resolve));
  }
  delay.disable();
  return { stallMs: delay.max / 1e6 };
}

/** What waiting costs: the share of a processor that this process has used since the last call. */
let usedBefore = { cpu: process.cpuUsage(), atMs: performance.now() };
function usage() {
  const { user, system } = process.cpuUsage(usedBefore.cpu);
  const share = (user + system) / 1_000 / (performance.now() - usedBefore.atMs);
  usedBefore = { cpu: process.cpuUsage(), atMs: performance.now() };
  return share;
}

/** `waiters` callers that each take the lock in turn, `times` times in all: when each had it, and when it gave it back. */
async function passOn(name, waiters, times, ttlMs) {
  const holds = [];
  const waiter = async () => {
    while (holds.length < times) {
      const request = newRequest(name, ttlMs);
      const { token, atMs } = await acquire(request);
      await sleep(1);
      const hold = { token: String(token), fromMs: atMs, toMs: nowMs() };
      holds.push(hold);
      await backend.release(request, soon());
    }
  };
  await Promise.all(Array.from({ length: waiters }, waiter));
  return holds;
}

process.on('message', async ([number, command, ...args]) => {
  try {
    process.send?.([number, null, await commands[command](...args)]);
  } catch (error) {
    process.send?.([number, { message: error.message, code: error.code }, undefined]);
  }
});
process.on('disconnect', () => process.exit());
process.send?.(['ready']);
