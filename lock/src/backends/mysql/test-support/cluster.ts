/**
 * Two servers that both take writes, for tests: Galera on MariaDB, a group with several primaries on MySQL.
 *
 * @module
 */
import { until } from '../../../contract/subject.ts';
import { freePort, MysqlServer, product } from './mysql-server.ts';

export type Cluster = readonly [MysqlServer, MysqlServer];

/** Comes with Debian's MariaDB. */
const GALERA = '/usr/lib/galera/libgalera_smm.so';

/** Resolves when each node has the other, and takes writes. */
export const startCluster: () => Promise<Cluster> = product.name === 'mariadb' ? startGalera : startGroup;

async function startGalera(): Promise<Cluster> {
  const ports = [await freePort(), await freePort()];
  const start = async (index: number, others: string, files?: Record<string, string>): Promise<MysqlServer> =>
    MysqlServer.start(
      [
        '--wsrep-on=ON',
        `--wsrep-provider=${GALERA}`,
        `--wsrep-cluster-address=gcomm://${others}`,
        '--wsrep-node-address=127.0.0.1',
        `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${ports[index]};ist.recv_addr=127.0.0.1:${await freePort()}`,
        '--wsrep-sst-method=skip',
        '--binlog-format=ROW',
        '--innodb-autoinc-lock-mode=2',
      ],
      files,
    );
  const first = await start(0, '');
  const [rows] = await first.admin.query(
    "SHOW STATUS WHERE Variable_name IN ('wsrep_cluster_state_uuid', 'wsrep_last_committed')",
  );
  const state = new Map(
    (rows as { Variable_name: string; Value: string }[]).map((row) => [row.Variable_name, row.Value]),
  );
  // Both begin with the same data, and this says so: nothing has to be copied.
  const saved = `# GALERA saved state
version: 2.1
uuid:    ${state.get('wsrep_cluster_state_uuid')}
seqno:   ${state.get('wsrep_last_committed')}
safe_to_bootstrap: 0
`;
  const second = await start(1, `127.0.0.1:${ports[0]}`, { 'grastate.dat': saved });
  await until('both nodes', async () => {
    const [size] = await second.admin.query("SHOW STATUS LIKE 'wsrep_cluster_size'");
    return (size as { Value: string }[])[0]?.Value === '2';
  });
  return [first, second];
}

async function startGroup(): Promise<Cluster> {
  const ports = [await freePort(), await freePort()];
  const start = (index: number): Promise<MysqlServer> =>
    MysqlServer.start([
      '--log-bin=log',
      `--server-id=${index + 1}`,
      '--gtid-mode=ON',
      '--enforce-gtid-consistency=ON',
      '--report-host=127.0.0.1',
      '--plugin-load-add=group_replication.so',
      '--group-replication-group-name=aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa',
      '--group-replication-start-on-boot=OFF',
      '--group-replication-single-primary-mode=OFF',
      `--group-replication-local-address=127.0.0.1:${ports[index]}`,
      `--group-replication-group-seeds=${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
      '--group-replication-recovery-get-public-key=ON',
    ]);
  const cluster: Cluster = await Promise.all([start(0), start(1)]);
  await join(cluster[0], { isFirst: true });
  await join(cluster[1], { isFirst: false });
  await until('both members', async () => {
    const [rows] = await cluster[1].admin.query(
      "SELECT member_id FROM performance_schema.replication_group_members WHERE member_state = 'ONLINE'",
    );
    return (rows as unknown[]).length === 2;
  });
  return cluster;
}

async function join(server: MysqlServer, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
  const connection = await server.admin.getConnection();
  for (const statement of [
    'RESET BINARY LOGS AND GTIDS',
    'SET sql_log_bin = 0',
    "CREATE USER recovery@'127.0.0.1' IDENTIFIED BY 'recovery'",
    "GRANT REPLICATION SLAVE, GROUP_REPLICATION_STREAM ON *.* TO recovery@'127.0.0.1'",
    'SET sql_log_bin = 1',
    "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'recovery', SOURCE_PASSWORD = 'recovery' FOR CHANNEL 'group_replication_recovery'",
    `SET GLOBAL group_replication_bootstrap_group = ${isFirst ? 'ON' : 'OFF'}`,
    'START GROUP_REPLICATION',
    'SET GLOBAL group_replication_bootstrap_group = OFF',
  ]) {
    await connection.query(statement);
  }
  connection.release();
}
