/**
 * A page whose tables are made by a program and whose words are not: the tables stand between two comments.
 *
 * @module
 */
const END = '<!-- end of figures -->';

/** The page with these figures in place of those it had. Throws if the page has no place for them. */
export function withFigures(page: string, figures: string, command = 'npm run bench'): string {
  const opening = `<!-- figures: ${command} writes what stands between these comments -->`;
  const begin = page.indexOf(opening);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) {
    throw new Error(`The page has no place for figures: it needs the lines "${opening}" and "${END}".`);
  }
  return `${page.slice(0, begin + opening.length)}\n\n${figures}\n\n${page.slice(end)}`;
}
