import { until } from '../until.ts';
import { type RedisOptions, RedisServer } from './redis.ts';

/** The name under which the Sentinels of the lab know their primary. */
export const PRIMARY_NAME = 'holdfast-lab';

/** Short, so that a failover takes seconds; about this and 1.2 s more pass until the replica takes writes. */
const DOWN_AFTER_MS = 500;

/**
 * Three Sentinels that know the primary, its replicas and each other. The replicas must be there already: Sentinels ask
 * the primary about replicas only every ten seconds.
 */
export async function startSentinels(
  primary: RedisServer,
  options: Pick<RedisOptions, 'reaper' | 'program' | 'folder'>,
  replicas = 1,
): Promise<RedisServer[]> {
  const sentinel = [
    `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${PRIMARY_NAME} 2000`,
    '',
  ].join('\n');
  const names = ['sentinel-1', 'sentinel-2', 'sentinel-3'];
  const sentinels = await Promise.all(names.map((name) => RedisServer.start({ ...options, name, sentinel })));
  await until(
    'The Sentinels knowing each other and the replica',
    async () => {
      const views = await Promise.all(sentinels.map(viewOf));
      return views.every(
        (view) => view.get('num-other-sentinels') === '2' && view.get('num-slaves') === String(replicas),
      );
    },
    { limitMs: 20_000, everyMs: 50 },
  );
  return sentinels;
}

/** Which port this Sentinel gives to clients that ask for the primary. */
export async function primaryPortBy(sentinel: RedisServer): Promise<number> {
  const answer = (await sentinel.client.call('SENTINEL', 'get-master-addr-by-name', PRIMARY_NAME)) as [string, string];
  return Number(answer[1]);
}

async function viewOf(sentinel: RedisServer): Promise<Map<string, string>> {
  const flat = await sentinel.client.call('SENTINEL', 'master', PRIMARY_NAME);
  // RESP3 answers with a map, RESP2 with a flat list of names and values.
  if (!Array.isArray(flat)) return new Map(Object.entries(flat as Record<string, string>));
  const view = new Map<string, string>();
  for (let i = 0; i + 1 < flat.length; i += 2) view.set(String(flat[i]), String(flat[i + 1]));
  return view;
}
