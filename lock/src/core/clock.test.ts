import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { callAfterInput, Instant, suspendAware, systemClock } from './clock.ts';

function machine() {
  const clocks = { process: 5_000, uptime: 100_000, wall: 1_700_000_000_000, asked: 0 };
  const now = suspendAware({
    processMs: () => clocks.process,
    wallMs: () => clocks.wall,
    uptimeMs: () => {
      clocks.asked++;
      return Math.floor(clocks.uptime / 10) * 10;
    },
  });
  const run = (ms: number): void => {
    clocks.process += ms;
    clocks.uptime += ms;
    clocks.wall += ms;
  };
  const suspend = (ms: number): void => {
    clocks.uptime += ms;
    clocks.wall += ms;
  };
  return { clocks, now, run, suspend };
}

describe('the clock that counts a suspend', () => {
  it('is the clock of the process while the machine is awake', () => {
    const { now, run } = machine();
    const start = now();
    for (let i = 0; i < 1_000; i++) {
      run(7.3);
      expect(now() - start).toBeCloseTo(7.3 * (i + 1), 6);
    }
  });

  it('jumps ahead by a suspend at the first look after it', () => {
    const { now, run, suspend } = machine();
    const start = now();
    run(100);
    suspend(8_000);
    expect(now() - start).toBeGreaterThanOrEqual(8_100 - 30);
    expect(now() - start).toBeLessThanOrEqual(8_100);
  });

  it('counts several suspends, and never goes back', () => {
    const { now, run, suspend } = machine();
    let last = now();
    for (let i = 0; i < 50; i++) {
      run(3);
      if (i % 10 === 0) suspend(1_000);
      const here = now();
      expect(here).toBeGreaterThanOrEqual(last);
      last = here;
    }
  });

  it('is not moved by somebody who sets the wall clock', () => {
    const { clocks, now, run } = machine();
    const start = now();
    run(10);
    clocks.wall += 3_600_000;
    expect(now() - start).toBe(10);
    clocks.wall -= 7_200_000;
    expect(now() - start).toBe(10);
  });

  it('asks for the uptime, which costs a file, only when something hints at a suspend, or once a second', () => {
    const { clocks, now, run } = machine();
    const before = clocks.asked;
    for (let i = 0; i < 999; i++) {
      run(1);
      now();
    }
    expect(clocks.asked).toBe(before);
    run(2);
    now();
    expect(clocks.asked).toBe(before + 1);
  });
});

describe('the clock of this machine', () => {
  it('calls back when the instant has come, not before, and not after it was cancelled', async () => {
    const due = Instant.plus(systemClock.now(), 15);
    let cancelled = true;
    systemClock.callAt(due, () => (cancelled = false), { keepAlive: false })();
    await new Promise<void>((resolve) => void systemClock.callAt(due, resolve, { keepAlive: true }));
    expect(systemClock.now()).toBeGreaterThanOrEqual(due);
    expect(cancelled).toBe(true);
  });

  it('calls back after what has arrived while nobody looked was read, where that is asked for', async () => {
    const { port1, port2 } = new MessageChannel();
    const order: string[] = [];
    const read = new Promise<void>((resolve) => port2.once('message', () => resolve(void order.push('input'))));
    const due = Instant.plus(systemClock.now(), 5);
    const called = new Promise<void>((resolve) => {
      systemClock.callAt(due, () => resolve(void order.push('timer')), { keepAlive: true, afterInput: true });
    });
    port1.postMessage('here');
    while (systemClock.now() < due);
    await Promise.all([read, called]);
    expect(order).toEqual(['input', 'timer']);
    port1.close();
  });

  it('does not call back after it was cancelled, also between the instant and what arrives then', async () => {
    let isCalled = false;
    const cancel = callAfterInput(() => (isCalled = true), 1, { keepAlive: true });
    setTimeout(cancel, 1); // fires in the same turn, right after it
    const until = performance.now() + 5;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isCalled).toBe(false);
  });
});
