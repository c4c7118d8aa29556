/** Now on CLOCK_MONOTONIC, in milliseconds with fractions: comparable between the processes of one machine. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
