import { describe, expect, it } from 'vitest';
import { hideSecretsOf } from './secrets.ts';

describe('a text that may contain the URL of a server', () => {
  it('does not show its password', () => {
    const hide = hideSecretsOf('redis://user:s3cret@db.example:6379/0');
    expect(hide('cannot reach redis://user:s3cret@db.example:6379/0')).toBe(
      'cannot reach redis://user:***@db.example:6379/0',
    );
  });

  it('does not show it decoded either, nor encoded', () => {
    const hide = hideSecretsOf('redis://:p%40ss%2Fw@db:6379');
    expect(hide('AUTH p@ss/w; p%40ss%2Fw')).toBe('AUTH ***; ***');
  });

  it('does not show a password with a colon or an at sign in it', () => {
    expect(hideSecretsOf('redis://u:a:b@c@db')('said a:b@c here')).toBe('said *** here');
  });

  it('does not show the password of a list of hosts', () => {
    expect(hideSecretsOf('redis-sentinel://:geheim@h1:1,h2:2/name')('geheim')).toBe('***');
  });

  it('does not show a password among the parameters', () => {
    expect(hideSecretsOf('postgres://db/x?sslmode=require&password=geheim')('geheim, require')).toBe('***, require');
  });

  it('is left alone where the URL has none', () => {
    expect(hideSecretsOf('redis://localhost:6379')('redis://localhost:6379')).toBe('redis://localhost:6379');
    expect(hideSecretsOf('')('x')).toBe('x');
  });

  it('does not show the longer of two forms in parts', () => {
    expect(hideSecretsOf('redis://:a%25b@db')('a%25b a%b')).toBe('*** ***');
  });
});
