/** What the locks state about themselves and what the lab found, as a table: from data to text, nothing else. */

const MARK = /(<!-- guarantees: made by npm run guarantees -->\n)[\s\S]*?(<!-- \/guarantees -->)/;

const WORDS = {
  'at-once': 'at once',
  'after-ttl': 'after its TTL',
  'after-up-to-two-ttl': 'after up to two TTLs',
  'first-come-first-served': 'as they came',
  counter: 'a counter',
  'counter-and-server-clock': "a counter, at least the server's clock",
  'counter-and-durable-floor': 'a counter with a durable floor',
  yes: 'yes',
  no: 'no',
  none: 'no',
  single: 'one server',
  'does-not-apply': 'no server',
};

/** The statements of a run, each lock with its date; of locks that were not run, those of an earlier one. */
export function merged(before, claims, date) {
  const fresh = new Set(claims.map(({ subject }) => subject));
  const kept = before.filter(({ subject }) => !fresh.has(subject));
  const added = [...fresh].map((subject) => ({
    subject,
    date,
    claims: claims.filter((claim) => claim.subject === subject).map(({ subject: _, ...claim }) => claim),
  }));
  return [...kept, ...added].sort((one, other) => (one.subject < other.subject ? -1 : 1));
}

/** A statement stands in it only where it was confirmed, or promises nothing. */
export function tableOf(locks) {
  const rows = locks.map(({ subject, date, claims }) => {
    const cell = (about) => cellOf(claims.find((claim) => claim.about === about));
    const cells = ['liveness', 'survivesFailover', 'fencing', 'fairness', 'clockAssumption'].map(cell);
    return `| \`${subject}\` | ${cells.join(' | ')} | ${date} |`;
  });
  return [
    '| lock | killed holder: free again | kept in a failover | tokens grow by | waiters served | assumes of clocks | run of |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function cellOf({ about, stated, finding, by }) {
  const words = WORDS[stated] ?? stated;
  if (about === 'clockAssumption' && finding === 'needed') return `${words} (needed: \`${by[0]}\`)`;
  if (about === 'clockAssumption' && finding === 'confirmed') return `${words} (and no date: \`${by[0]}\`)`;
  switch (finding) {
    case 'confirmed':
      return `${words} ✓`;
    case 'refuted':
      return `**refuted** in \`${by.at(-1)}\``;
    case 'nothing':
      return words;
    case 'not-run':
      return 'not run';
    default:
      return 'not confirmed';
  }
}

/** The page with the table between its two marks. */
export function withTable(page, table) {
  if (!MARK.test(page)) throw new Error('There are no marks for the table of guarantees.');
  return page.replace(MARK, (_, first, last) => `${first}${table}\n${last}`);
}
