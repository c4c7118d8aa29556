/**
 * An authority of the tests' own, and certificates that it has signed, made by openssl in a temporary folder.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Files in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Key and certificate in one file. */
  readonly both: string;
}

export class Authority {
  /** The file with its own certificate. */
  readonly ca: string;
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'holdfast-authority-'));

  constructor() {
    this.ca = join(this.#folder, 'ca.pem');
    this.#openssl(
      'req',
      '-x509',
      ...CURVE,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=authority',
    );
  }

  /** For a server or a client; `names` as openssl writes them: `IP:127.0.0.1,DNS:example`. */
  sign(name: string, names: string): Certificate {
    this.#openssl('req', ...CURVE, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(
      join(this.#folder, `${name}.ext`),
      `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`,
    );
    this.#openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-out', `${name}.pem`, '-days', '2', '-extfile', `${name}.ext`],
    );
    const [cert, key, both] = ['pem', 'key', 'both.pem'].map((end) => join(this.#folder, `${name}.${end}`)) as [
      string,
      string,
      string,
    ];
    for (const file of [key, cert]) appendFileSync(both, readFileSync(file));
    return { cert, key, both };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' });
  }
}
