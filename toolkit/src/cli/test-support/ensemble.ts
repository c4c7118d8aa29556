import { Reaper } from '../../lab/reaper.ts';
import { startEtcd } from '../../lab/servers/etcd.ts';
import { findServers } from '../../lab/servers/find-server.ts';
import type { Ensemble } from '../../lab/servers/member.ts';
import { startZooKeeper } from '../../lab/servers/zookeeper.ts';

/** Why there is no such server here; undefined if there is one. */
export function missingServer(kind: 'etcd' | 'zookeeper'): string | undefined {
  const program = findServers()[kind];
  return 'missing' in program ? program.missing : undefined;
}

/** One server of the lab for a test: on a free loopback port, in a temporary folder, gone when it is stopped. */
export class TestEnsemble {
  readonly #reaper: Reaper;
  readonly #ensemble: Ensemble;

  private constructor(reaper: Reaper, ensemble: Ensemble) {
    this.#reaper = reaper;
    this.#ensemble = ensemble;
  }

  static async start(kind: 'etcd' | 'zookeeper'): Promise<TestEnsemble> {
    const program = findServers()[kind];
    if ('missing' in program) throw new Error(program.missing);
    const reaper = await Reaper.start();
    try {
      const use = { reaper, folder: reaper.folder, members: 1 } as const;
      const { file, jar = '' } = program;
      const started =
        kind === 'etcd' ? startEtcd({ ...use, program: file }) : startZooKeeper({ ...use, java: file, jar });
      return new TestEnsemble(reaper, await started);
    } catch (error) {
      await reaper.close();
      throw error;
    }
  }

  get url(): string {
    return this.#ensemble.urlOf(this.#ensemble.members);
  }

  /** That of the one server. */
  get pid(): number {
    return this.#ensemble.members[0]?.pid ?? Number.NaN;
  }

  async stop(): Promise<void> {
    this.#ensemble.stop();
    await this.#reaper.close();
  }
}
