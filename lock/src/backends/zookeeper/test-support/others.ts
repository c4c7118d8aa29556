/** Curator and kazoo, as processes beside us. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Peer } from '../../../test-support/peer.ts';
import { JVM_FLAGS } from './servers.ts';

const CURATOR_JAR = '/usr/share/java/curator-recipes.jar';
const SLF4J_NOP_JAR = '/usr/share/java/slf4j-nop.jar';
const KAZOO = '/usr/lib/python3/dist-packages/kazoo/client.py';

export function whyNoCurator(): string | undefined {
  if (!existsSync(CURATOR_JAR)) return `${CURATOR_JAR} is missing: npm run setup`;
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'javac is missing: npm run setup';
  }
}

export function whyNoKazoo(): string | undefined {
  return existsSync(KAZOO) ? undefined : `${KAZOO} is missing: npm run setup`;
}

/** Compiles the Java program into a folder; once for all processes. */
export async function compileCurator(folder: string): Promise<void> {
  const source = fileURLToPath(new URL('./CuratorPeer.java', import.meta.url));
  const flags = JVM_FLAGS.map((flag) => `-J${flag}`);
  await promisify(execFile)('javac', [...flags, '-proc:none', '-cp', CURATOR_JAR, '-d', folder, source]);
}

export function startCurator(classes: string, servers: string, sessionMs: number): Peer {
  const classPath = [classes, CURATOR_JAR, SLF4J_NOP_JAR].join(':');
  return Peer.start('java', [...JVM_FLAGS, '-cp', classPath, 'CuratorPeer', servers, String(sessionMs)]);
}

export function startKazoo(servers: string): Peer {
  return Peer.python(new URL('./kazoo_peer.py', import.meta.url), servers);
}
