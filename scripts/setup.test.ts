import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { planInstall, type Situation, toolsFor } from './setup-plan.mjs';

const script = fileURLToPath(new URL('./setup.mjs', import.meta.url));
const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

const debian: Situation = {
  platform: 'linux',
  missing: toolsFor('linux'),
  manager: 'apt-get',
  isRoot: true,
  hasSudo: false,
};

describe('the set-up', () => {
  it('installs the Debian packages of what is missing, each once, without what they recommend', () => {
    expect(planInstall(debian).commands).toEqual([
      ['apt-get', 'install', '-y', '--no-install-recommends'].concat([
        'redis-server',
        'redis-sentinel',
        'postgresql',
        'mariadb-server',
        'pgbouncer',
        'redis-tools',
        'etcd-server',
        'etcd-client',
        'strace',
        'default-jre-headless',
        'libzookeeper-java',
        'default-jdk-headless',
        'libcurator-recipes-java',
        'python3-kazoo',
        'python3-redis',
        'openssl',
        'chromium',
        'procps',
      ]),
    ]);
  });

  it('installs only what is missing', () => {
    const missing = toolsFor('linux').filter((tool) => tool.name === 'strace');
    expect(planInstall({ ...debian, missing }).commands?.[0]?.slice(4)).toEqual(['strace']);
  });

  it('needs root or sudo for Debian packages, and otherwise says the command', () => {
    expect(planInstall({ ...debian, isRoot: false, hasSudo: true })).toMatchObject({ asRoot: true });
    expect(planInstall({ ...debian, isRoot: false }).problem).toContain('As root: apt-get install -y');
  });

  it('takes one Homebrew package for all programs of a server, and never sudo', () => {
    const plan = planInstall({
      ...debian,
      platform: 'darwin',
      manager: 'brew',
      missing: toolsFor('darwin'),
    });
    const packages = ['redis', 'postgresql@17', 'mariadb', 'pgbouncer', 'etcd'];
    expect(plan).toEqual({ asRoot: false, packages, commands: [['brew', 'install', ...packages]] });
  });

  it('names the missing tools where it knows no package manager', () => {
    expect(planInstall({ ...debian, manager: undefined }).problem).toContain('redis-server, redis-sentinel');
  });

  it('--check names every tool, and its exit status says whether one is missing', () => {
    const { stdout, status } = run('--check');
    for (const tool of toolsFor(process.platform)) expect(stdout).toContain(tool.name);
    expect(status).toBe(stdout.includes('missing') ? 1 : 0);
  });

  it('refuses an option that it does not know', () => {
    const { stderr, status } = run('--force');
    expect(stderr).toContain('unknown option --force');
    expect(status).toBe(64);
  });
});
