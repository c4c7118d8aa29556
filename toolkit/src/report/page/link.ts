/** Where a result is on the page: `#pause/setnx`. Links to it can be sent to somebody. */

export function linkTo(experiment: string, subject: string): string {
  return `#${encodeURIComponent(experiment)}/${encodeURIComponent(subject)}`;
}

export function readLink(hash: string): { readonly experiment: string; readonly subject: string } | undefined {
  const [experiment = '', subject = ''] = hash.replace(/^#/, '').split('/').map(decode);
  return experiment === '' ? undefined : { experiment, subject };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
