import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { listenTogether } from './listeners.ts';

describe('listeners that share', () => {
  it('are one for the emitter, and are all called, with what the event carries', () => {
    const emitter = new EventEmitter();
    const heard: unknown[] = [];
    const stops = [1, 2, 3].map((who) => listenTogether(emitter, 'node', (node) => heard.push([who, node])));
    expect(emitter.listenerCount('node')).toBe(1);
    emitter.emit('node', 'a');
    expect(heard).toEqual([1, 2, 3].map((who) => [who, 'a']));
    stops[1]?.();
    stops[1]?.();
    emitter.emit('node', 'b');
    expect(heard.slice(3)).toEqual([1, 3].map((who) => [who, 'b']));
    stops[0]?.();
    stops[2]?.();
    expect(emitter.listenerCount('node')).toBe(0);
  });

  it('are counted although they are the same function, and leave while they are called', () => {
    const emitter = new EventEmitter();
    let times = 0;
    const listener = (): void => {
      times++;
      stop();
    };
    const stop = listenTogether(emitter, 'close', listener);
    listenTogether(emitter, 'close', listener);
    emitter.emit('close');
    emitter.emit('close');
    expect(times).toBe(3);
  });
});
