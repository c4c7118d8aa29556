/**
 * The backend objects that rows belong to.
 *
 * @module
 */
import type { InstanceId } from './liveness.ts';
import type { InstanceRow } from './rows.ts';
import type { Statements } from './statements/statements.ts';

/** As one transaction sees them. */
export class Instances {
  readonly #sql: Statements;
  readonly #known: Map<InstanceId, InstanceRow> = new Map();

  constructor(statements: Statements) {
    this.#sql = statements;
  }

  get(id: InstanceId): InstanceRow | undefined {
    const row = this.#known.get(id) ?? (this.#sql.instance.get(id) as InstanceRow | undefined);
    if (row !== undefined) this.#known.set(id, row);
    return row;
  }

  add({ id, inode, host, pid }: InstanceRow): void {
    this.#sql.addInstance.run(id, inode, host, pid);
  }

  remove(id: InstanceId): void {
    this.#sql.removeBrokenOf.run(id);
    this.#sql.removeInstance.run(id);
    this.#known.delete(id);
  }
}
