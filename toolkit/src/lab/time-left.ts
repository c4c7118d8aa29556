/** How long it still takes when tasks are taken one after the other by so many workers: from how long each takes. */
export function timeLeftMs(running: readonly number[], queued: readonly number[], workers: number): number {
  const busyUntil = [
    ...running.map((ms) => Math.max(0, ms)),
    ...Array<number>(Math.max(0, workers - running.length)).fill(0),
  ];
  for (const ms of queued) {
    const next = busyUntil.indexOf(Math.min(...busyUntil));
    busyUntil[next] = (busyUntil[next] ?? 0) + ms;
  }
  return Math.max(0, ...busyUntil);
}
