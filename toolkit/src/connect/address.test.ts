import { describe, expect, it } from 'vitest';
import { AddressError, parseAddress, redact } from './address.ts';

describe('a URL of locks', () => {
  it('is the embedded file of this user where there is none', () => {
    for (const url of [undefined, '', 'sqlite:']) {
      expect(parseAddress(url)).toEqual({
        kind: 'sqlite',
        directory: undefined,
        description: 'the embedded file of this user',
      });
    }
  });

  it('may name the folder of the embedded file', () => {
    expect(parseAddress('sqlite:///var/lib/my%20jobs')).toMatchObject({ directory: '/var/lib/my jobs' });
  });

  it('names a Redis server with what it needs, and describes it without the password', () => {
    expect(parseAddress('rediss://worker:p%40ss%2Fw%C3%B6rd@cache.example:6380/3')).toEqual({
      kind: 'redis',
      host: 'cache.example',
      port: 6380,
      tls: true,
      username: 'worker',
      password: 'p@ss/wörd',
      database: 3,
      description: 'rediss://worker:***@cache.example:6380/3',
    });
    expect(parseAddress('REDIS://[::1]')).toMatchObject({
      host: '::1',
      port: 6379,
      tls: false,
      database: 0,
      description: 'redis://[::1]:6379/0',
    });
    expect(parseAddress('redis://:secret@h').description).toBe('redis://:***@h:6379/0');
    expect(parseAddress('redis://only-a-user@h').description).toBe('redis://only-a-user@h:6379/0');
  });

  it('names independent Redis servers, all with one user and password', () => {
    const address = parseAddress('redlock://:p%40ss@one:7001,[::1],three/2');
    expect(address).toMatchObject({
      kind: 'redlock',
      password: 'p@ss',
      description: 'redlock://:***@one:7001,[::1]:6379,three:6379/2',
    });
    expect(address).toMatchObject({ servers: [{ host: 'one', port: 7001 }, { host: '::1' }, { host: 'three' }] });
    expect(parseAddress('redlocks://a,b,c')).toMatchObject({ servers: [{ tls: true }, { tls: true }, { tls: true }] });
  });

  it.each([
    ['', 'off'],
    ['?ssl-mode=DISABLED', 'off'],
    ['?sslmode=require', 'encrypted'],
    ['?ssl-mode=REQUIRED', 'encrypted'],
    ['?ssl-mode=VERIFY_CA', 'verified-ca'],
    ['?ssl-mode=verify-identity', 'verified-identity'],
    ['?sslmode=verify-full', 'verified-identity'],
    ['?ssl=true', 'verified-identity'],
    ['?ssl=false', 'off'],
    ['?ssl=true&sslmode=verify-full', 'verified-identity'],
  ])('of a MySQL says with its parameters how it is protected: %s', (parameters, tls) => {
    const address = parseAddress(`mysql://u:p%40ss@h/db${parameters}`);
    expect(address).toMatchObject({ kind: 'mysql', tls, url: 'mysql://u:p%40ss@h/db' });
  });

  it.each([
    ['mongodb://u:secret@h/db', 'starts with mongodb:'],
    ['/var/lib/secret', 'has no scheme'],
    ['sqlite://secret', 'three slashes'],
    ['sqlite:///', 'three slashes'],
    ['sqlite:///%secret', '%25'],
    ['redis://u:sec ret:x@[h', 'cannot be read'],
    ['redis:///secret', 'names no host'],
    ['redlock://u:secret@one,two', 'three servers or more'],
    ['redlock://u:secret@one,,two', 'cannot be read'],
    ['redis://u:secret@h/0?timeout=3', 'takes no parameters'],
    ['redis://u:secret@h/queue', 'must be the number of a database'],
    ['redis://u:secret%zz@h/0', '%25'],
    ['redis://u:secret@h:99999/0', 'cannot be read'],
    ['mysql://u:secret@h/db?tls=yes', 'none called "tls"'],
    ['mysql://u:secret@h/db?ssl-mode=PREFERRED', 'ssl-mode of a mysql:// URL must be disabled, required'],
    ['mariadb://u:secret@h/db?ssl=require', 'ssl of a mariadb:// URL must be true or false, and is "require"'],
    ['mysql://u:secret@h/db?ssl=true&sslmode=disabled', 'two different things about TLS; the second is sslmode'],
  ])('that cannot be used is refused and not repeated: %s', (url, message) => {
    expect(() => parseAddress(url)).toThrow(AddressError);
    expect(() => parseAddress(url)).toThrow(message);
    expect(() => parseAddress(url)).not.toThrow(/secret|sec ret/);
  });
});

describe('a text of somebody else', () => {
  const address = parseAddress('redis://:p%40ssword@h');

  it('loses the password in each of its forms', () => {
    expect(redact('AUTH p@ssword failed at redis://:p%40ssword@h', address)).toBe('AUTH *** failed at redis://:***@h');
  });

  it('stays as it is where there is no password, or one that is no secret', () => {
    expect(redact('a bad day', parseAddress('redis://h'))).toBe('a bad day');
    expect(redact('a bad day', parseAddress('redis://:a@h'))).toBe('a bad day');
  });
});
