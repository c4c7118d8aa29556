import { describe, expect, it } from 'vitest';
import { advise } from './advice.ts';
import { sayAgain } from './advice-text.ts';
import { interview } from './interview.ts';
import type { Told } from './situation.ts';

/** A person who answers the questions by what they are about, and presses Enter at all others. */
async function talk(
  answers: Readonly<Record<string, string | readonly string[]>>,
): Promise<{ told: Told | undefined; said: string; asked: number }> {
  const left = Object.entries(answers).map(([about, lines]) => ({ about, lines: [lines].flat() }));
  const said: string[] = [];
  let asked = 0;
  const told = await interview({
    say: (line) => said.push(line),
    ask: async () => {
      asked++;
      const question = said.findLast((line) => line.endsWith('?')) ?? '';
      return left.find(({ about }) => question.includes(about))?.lines.shift() ?? '';
    },
  });
  return { told, said: said.join('\n'), asked };
}

const stock = {
  'is a lock taken': '500',
  'at the peak': '5k',
  'Which servers': '2,4',
  'run in production': 'etcd',
};

describe('the interview', () => {
  it('leads to the advice of the worked example, with Enter for all that it does not say', async () => {
    const { told } = await talk(stock);
    expect(told).toMatchObject({
      protects: 'data',
      failure: 'incident',
      servers: ['redis-replicas', 'etcd'],
      peakPerSecond: 5_000,
    });
    expect(advise(told as Told).answer).toBe('etcd');
  });

  it('fits into a terminal of 80 columns', async () => {
    const { said } = await talk(stock);
    expect(said.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('ends when the answer is certain', async () => {
    const { told, asked } = await talk({ 'one time?': 'unsure' });
    expect(told).toEqual({ protects: 'data', failure: 'unsure' });
    expect(asked).toBe(2);
  });

  it('takes a number for a choice, and asks again where it gets none', async () => {
    const { told, said } = await talk({ 'What is the lock for': ['9', 'dtaa', '4'], 'one time?': 'unsure' });
    expect(told?.protects).toBe('job');
    expect(said).toContain('The answer is one of data, work, leader, job, and not "dtaa".');
  });

  it('says at once what contradicts an earlier answer, and takes another', async () => {
    const { told, said } = await talk({ ...stock, 'at the peak': ['100', '5,000'] });
    expect(said).toContain('The peak is below the usual rate.');
    expect(told?.peakPerSecond).toBe(5_000);
  });

  it('refuses a time without its unit', async () => {
    const { said, told } = await talk({ ...stock, 'How long is the lock held': ['50', '50ms'] });
    expect(said).toContain('such as 50s or 50ms');
    expect(told?.holdMs).toBe(50);
  });

  it('gives nothing when the input ends', async () => {
    expect(await interview({ say: () => {}, ask: async () => undefined })).toBeUndefined();
  });

  it('can be said again as options', async () => {
    const { told } = await talk({ ...stock, 'others go on?': '2m' });
    expect(sayAgain(told as Told).join(' ')).toBe(
      '--protects data --failure incident --resource nothing --writes-to other --runs-on one-region --servers redis-replicas,etcd ' +
        '--skills etcd --usual 500 --peak 5000 --peak-on-one-name 1 --hold 20ms --pause 1s --free-within 2m --budget 100ms',
    );
  });
});
