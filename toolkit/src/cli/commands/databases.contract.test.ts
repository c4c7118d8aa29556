import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { missingDatabase, TestDatabase } from '../test-support/database.ts';
import { overlaps, readLog, stays, worker } from '../test-support/oracle.ts';
import { kill, type Outcome, SLOW, Stage, until } from '../test-support/program.ts';

// The commands on locks that are rows of a database, through their URLs. Tests share the server, and name their locks apart.
describe.each(['postgres', 'mysql'] as const)('on %s', SLOW, (where) => {
  const missing = missingDatabase(where);
  let stage: Stage;
  let server: TestDatabase;

  beforeAll(async () => {
    if (missing === undefined) server = await TestDatabase.start(where);
  }, 120_000);
  afterAll(() => server?.stop(), 60_000);
  beforeEach(({ skip }) => {
    skip(missing !== undefined, missing);
    stage = new Stage();
  });
  afterEach(() => stage?.strike());

  function start(...args: string[]): ReturnType<Stage['start']> {
    return stage.start(args, { env: { HOLDFAST_URL: server.url } });
  }

  function run(...args: string[]): Promise<Outcome> {
    return start(...args).outcome;
  }

  async function hold(name: string, ...options: string[]): Promise<ReturnType<Stage['start']>> {
    const program = start('run', name, ...options, '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN; sleep 300');
    await program.family();
    return program;
  }

  it('migrate --guard makes the table of the guard and no other, twice at once, and under the name that is given', async () => {
    const twice = await Promise.all([run('migrate', '--guard'), run('migrate', '--guard', '--json')]);
    for (const { code, stderr } of twice) expect(code, stderr).toBe(0);
    expect(twice[0].stdout).toContain('The table of the guard is there');
    expect(JSON.parse(twice[1].stdout)).toEqual({ migrated: true });
    expect((await run('migrate', '--guard', 'order_tokens')).code).toBe(0);
    const [list, here] =
      where === 'postgres'
        ? ["string_agg(table_name, ',' ORDER BY table_name)", "'public'"]
        : ['group_concat(table_name ORDER BY table_name)', 'database()'];
    const tables = `SELECT ${list} FROM information_schema.tables WHERE table_schema = ${here}`;
    expect(await server.ask(tables)).toBe('holdfast_fence,order_tokens');
    const wrong = await run('migrate', '--guard', 'a b');
    expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining('table must be a plain name') });
  });

  it('without its tables every command ends with 78 and says what makes them, and migrate does', async () => {
    const [listed, refused] = await Promise.all([run('ls'), run('run', 'x', '--', 'true')]);
    for (const { code, stderr } of [listed, refused]) {
      expect(code, stderr).toBe(78);
      expect(stderr).toContain('holdfast migrate');
    }
    expect(await run('migrate')).toMatchObject({ code: 0, stdout: expect.stringContaining('The tables are there') });
    const again = await run('migrate', '--json');
    expect(JSON.parse(again.stdout)).toEqual({ migrated: true });
    expect(await run('ls')).toMatchObject({ code: 0, stdout: '' });
  });

  it('run gives each command a larger token and its own exit code, and keeps the count over a migration', async () => {
    const first = await run('run', 'count', '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN; exit 3');
    await run('migrate');
    const second = await run('run', 'count', '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN');
    expect([first.code, second.code]).toEqual([3, 0]);
    expect(BigInt(second.stdout.trim())).toBeGreaterThan(BigInt(first.stdout.trim()));
  });

  it('ls and who show who holds and who waits, in order', async () => {
    const holder = await hold('line', '--purpose', 'some work', '--ttl', '30s');
    const { guard } = await holder.family();
    for (const [index, purpose] of ['first', 'second'].entries()) {
      start('run', 'line', '--wait', '1h', '--purpose', purpose, '--', 'true');
      await stage.inLine('line', index + 1, '--url', server.url);
    }
    expect((await run('ls')).stdout).toMatch(/\nline +\S+:\d+ .* 2 +some work\n/);
    const report = JSON.parse((await run('who', 'line', '--json')).stdout);
    expect(report).toMatchObject({
      lock: 'line',
      holder: { pid: guard, purpose: 'some work', foreign: false, fencingToken: holder.stdout.trim() },
      waiters: [{ purpose: 'first' }, { purpose: 'second' }],
    });
    expect((await run('who', 'line')).stdout).toMatch(/waiting {2}2, in this order:\n {4}1 .*first\n {4}2 .*second\n$/);
    expect((await run('who', 'nobody')).stdout).toBe('nobody\n  held by  nobody\n  waiting  nobody\n');
  });

  it('break takes the lock and tells the holder, and the next token is not below the one to raise the guard to', async () => {
    const holder = await hold('broken', '--ttl', '3s', '--kill-after', '300ms');
    const { code, stdout } = await run('break', 'broken', '--yes', '--json');
    expect(code).toBe(0);
    const { broken, raiseTo } = JSON.parse(stdout);
    expect(broken.fencingToken).toBe(holder.stdout.trim());
    expect(BigInt(raiseTo)).toBeGreaterThan(BigInt(broken.fencingToken));
    const ended = await holder.outcome;
    expect(ended.code).toBe(79);
    expect(ended.stderr).toContain('Lost the lease on "broken"');
    const next = await run('run', 'broken', '--', 'sh', '-c', 'echo $HOLDFAST_TOKEN');
    expect(BigInt(next.stdout.trim())).toBeGreaterThanOrEqual(BigInt(raiseTo));
    expect((await run('break', 'broken', '--yes')).code).toBe(1);
  });

  it('a rival gets the lock of a killed guard when its time is over, and never before its command has ended', async () => {
    const log = stage.file('log');
    const terms = ['--ttl', '2s', '--kill-after', '300ms', '--url', server.url];
    const first = stage.start(['run', 'killed', ...terms, '--', ...worker(log, 'first', 600_000)]);
    const { guard } = await first.family();
    await until(
      () => readLog(log).some(({ what }) => what === 'enter'),
      () => 'the first command did not start',
    );
    const rival = stage.start(['run', 'killed', ...terms, '--wait', '30s', '--', ...worker(log, 'rival', 100)]);
    await stage.inLine('killed', 1, '--url', server.url);
    kill(guard, 'SIGKILL');
    expect((await rival.outcome).code).toBe(0);
    expect((await first.outcome).code).not.toBe(0);
    const all = stays(readLog(log), { untilTold: false });
    expect(all.map(({ name }) => name).toSorted()).toEqual(['first', 'rival']);
    expect(overlaps(all)).toEqual([]);
  });

  it('who may not make tables is told so by migrate, with 77 and what helps, and no lock is named', async () => {
    await server.ask('CREATE DATABASE untouched');
    await server.ask(where === 'postgres' ? 'CREATE ROLE reader LOGIN' : "CREATE USER reader@'127.0.0.1'");
    if (where === 'mysql') await server.ask("GRANT SELECT ON untouched.* TO reader@'127.0.0.1'");
    const url = server.url.replace(/\/\/[a-z]+@/, '//reader@').replace(/\/[a-z]+$/, '/untouched');
    for (const options of [[], ['--guard']]) {
      const { code, stderr } = await stage.start(['migrate', ...options, '--url', url]).outcome;
      expect(code, stderr).toBe(77);
      expect(stderr).toMatch(/denied.*needs CREATE/s);
      expect(stderr).not.toMatch(/asked about|went wrong/);
    }
    const { code, stderr } = await stage.start(['ls', '--url', url]).outcome;
    expect(code, stderr).toBe(78);
    expect(stderr).not.toContain('asked about');
  });

  it('migrate --guard in a schema that is not there ends with 78', async () => {
    const { code, stderr } = await run('migrate', '--guard', 'nowhere.tokens');
    expect(code, stderr).toBe(78);
    expect(stderr).toMatch(/nowhere.*must be there already/s);
  });

  it('a wrong password ends them with 77, and is not repeated', async () => {
    await server.ask(
      where === 'postgres'
        ? 'CREATE ROLE nobody_there NOLOGIN'
        : "CREATE USER IF NOT EXISTS worker@'127.0.0.1' IDENTIFIED BY 'right-password'",
    );
    const user = where === 'postgres' ? 'nobody_there' : 'worker';
    const url = server.url.replace(/\/\/[a-z]+@/, `//${user}:wrong-password@`);
    const { code, stderr } = await stage.start(['ls', '--url', url]).outcome;
    expect(code, stderr).toBe(77);
    expect(stderr).not.toContain('wrong-password');
  });
});

describe('a mysql:// URL that asks for TLS', SLOW, () => {
  const missing = missingDatabase('mysql');
  let stage: Stage;
  let folder: string;
  let plain: TestDatabase;
  /** Its certificate is made out to this machine. */
  let ours: TestDatabase;
  /** And that of this one to another, by the same authority. */
  let misnamed: TestDatabase;

  beforeAll(async () => {
    if (missing !== undefined) return;
    folder = mkdtempSync(path.join(tmpdir(), 'holdfast-tls-'));
    const authority = newAuthority(folder);
    // One after the other: a MariaDB that is being set up loses its temporary tables to another that starts.
    plain = await TestDatabase.start('mysql', ['--loose-skip-ssl', '--tls-version=']);
    ours = await TestDatabase.start('mysql', authority.certify('localhost'));
    misnamed = await TestDatabase.start('mysql', authority.certify('elsewhere.example'));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([plain, ours, misnamed].map((server) => server?.stop()));
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }, 60_000);
  beforeEach(({ skip }) => {
    skip(missing !== undefined, missing);
    stage = new Stage();
  });
  afterEach(() => stage?.strike());

  /** Whether the authority is known to the program. */
  function migrate({ url }: TestDatabase, parameters: string, { isKnown = false } = {}): Promise<Outcome> {
    const env = isKnown ? { NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') } : {};
    return stage.start(['migrate', '--url', `${url.replace('127.0.0.1', 'localhost')}${parameters}`], { env }).outcome;
  }

  it.each(['?sslmode=require', '?ssl-mode=REQUIRED', '?ssl-mode=VERIFY_CA', '?ssl=true'])(
    'is refused by a server without it, and not answered in plain text: %s',
    async (parameters) => {
      const { code, stderr } = await migrate(plain, parameters);
      expect(code, stderr).toBe(78);
      expect(stderr).toContain('asks for TLS, and this server has none');
      expect((await migrate(plain, '')).code).toBe(0);
    },
  );

  it('is encrypted with `required`, whoever has made the certificate', async () => {
    await misnamed.ask("CREATE USER cipher@'127.0.0.1' REQUIRE SSL");
    await misnamed.ask("GRANT ALL ON *.* TO cipher@'127.0.0.1'");
    const url = misnamed.url.replace('root@', 'cipher@');
    expect(await stage.start(['migrate', '--url', url]).outcome).toMatchObject({ code: 77 });
    expect(await stage.start(['migrate', '--url', `${url}?ssl-mode=required`]).outcome).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('is verified otherwise: with verify-ca by the authority, with the others by the name of the host too', async () => {
    for (const parameters of [
      '?ssl-mode=verify-ca',
      '?ssl-mode=verify-identity',
      '?sslmode=verify-full',
      '?ssl=true',
    ]) {
      const unknown = await migrate(ours, parameters);
      expect(unknown, unknown.stderr).toMatchObject({ code: 69, stderr: expect.stringContaining('certificate') });
      expect(await migrate(ours, parameters, { isKnown: true })).toMatchObject({ code: 0, stderr: '' });
      const other = await migrate(misnamed, parameters, { isKnown: true });
      expect(other.code, `${parameters} ${other.stderr}`).toBe(parameters.endsWith('verify-ca') ? 0 : 69);
    }
  });
});

/** A certificate authority that nobody knows, in files of this folder, and what makes a server use one of its own. */
function newAuthority(folder: string): { certify(host: string): string[] } {
  const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority', '-days', '2');
  return {
    certify(host) {
      const [keyFile, file] = [`${host}.key`, `${host}.pem`];
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', `subjectAltName=DNS:${host}`];
      openssl(
        'req',
        '-x509',
        ...signed,
        ...key,
        '-keyout',
        keyFile,
        '-out',
        file,
        '-subj',
        `/CN=${host}`,
        '-days',
        '2',
      );
      return [`--ssl-cert=${path.join(folder, file)}`, `--ssl-key=${path.join(folder, keyFile)}`];
    },
  };
}
