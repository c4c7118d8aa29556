/** Where and with what something was measured, with the load before and after it. */
import { cpus, loadavg } from 'node:os';
import { machineNow } from '../lab/machine.ts';

export interface BenchMachine {
  readonly os: string;
  readonly arch: string;
  readonly cpuModel: string;
  readonly cpus: number;
  readonly node: string;
  readonly holdfast: string;
  /** The average over a minute: above the number of processors, others were at work too. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

/** The load average over the last minute. */
export function loadNow(): number {
  return loadavg()[0] as number;
}

/** To be called when all is measured. */
export function describeMachine(loadBefore: number): BenchMachine {
  const { os, arch, cpus: count, node, toolkit: holdfast } = machineNow([]);
  const cpuModel = cpus()[0]?.model.trim() ?? 'processor unknown';
  return { os, arch, cpuModel, cpus: count, node, holdfast, loadBefore, loadAfter: loadNow() };
}
