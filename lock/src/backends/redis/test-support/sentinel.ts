import { writeFileSync } from 'node:fs';
import { RedisServer } from './redis-server.ts';
import { until } from './requests.ts';

/** The name under which a Sentinel of the tests knows its primary. */
export const PRIMARY_NAME = 'main';

/** One Sentinel, which is enough to fail over by itself, that knows the primary and its replicas. */
export async function startSentinel(
  primary: RedisServer,
  { replicas, downAfterMs }: { readonly replicas: number; readonly downAfterMs: number },
): Promise<RedisServer> {
  const sentinel = await RedisServer.start(['--sentinel'], (folder) => {
    const file = `${folder}/sentinel.conf`;
    const lines = [
      `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${PRIMARY_NAME} ${downAfterMs}`,
      `sentinel failover-timeout ${PRIMARY_NAME} 2000`,
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  });
  await until(
    'a sentinel that knows the replicas',
    async () => ((await sentinel.admin.call('SENTINEL', 'REPLICAS', PRIMARY_NAME)) as unknown[]).length === replicas,
    20_000,
  );
  return sentinel;
}
