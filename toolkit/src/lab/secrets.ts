/**
 * Makes a function that takes the secrets of a URL out of a text: nothing that the lab prints, stores or puts into a
 * history shows a password, not even where a client library has put the URL into its error message.
 */
export function hideSecretsOf(url: string): (text: string) => string {
  const secrets = new Set<string>();
  const add = (secret: string | null | undefined): void => {
    if (!secret) return;
    secrets.add(secret);
    try {
      secrets.add(decodeURIComponent(secret));
    } catch {
      // Not percent-encoded: then it stands as it is.
    }
    secrets.add(encodeURIComponent(secret));
  };
  // By hand, since URL does not read lists of hosts, and decodes.
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  const userinfo = authority.includes('@') ? authority.slice(0, authority.lastIndexOf('@')) : '';
  if (userinfo.includes(':')) add(userinfo.slice(userinfo.indexOf(':') + 1));
  for (const [key, value] of new URLSearchParams(url.split('?')[1] ?? '')) {
    if (/pass|pwd|secret|token|auth|key/i.test(key)) add(value);
  }
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
