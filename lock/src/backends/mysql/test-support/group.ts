/**
 * A group of MySQL servers that are all primaries (Group Replication), for tests.
 *
 * @module
 */
import { until } from '../../../contract/subject.ts';
import { freePort, MysqlServer } from './mysql-server.ts';

const RECOVERY = "SOURCE_USER = 'recovery', SOURCE_PASSWORD = 'recovery'";

/** Resolves when both are online, and each takes writes. */
export async function startGroup(): Promise<[MysqlServer, MysqlServer]> {
  const inner = [await freePort(), await freePort()];
  const seeds = inner.map((port) => `127.0.0.1:${port}`).join(',');
  const start = (id: number): Promise<MysqlServer> =>
    MysqlServer.start([
      '--log-bin=log',
      `--server-id=${id + 1}`,
      '--gtid-mode=ON',
      '--enforce-gtid-consistency=ON',
      '--report-host=127.0.0.1',
      '--plugin-load-add=group_replication.so',
      '--group-replication-group-name=aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa',
      '--group-replication-start-on-boot=OFF',
      '--group-replication-single-primary-mode=OFF',
      `--group-replication-local-address=127.0.0.1:${inner[id]}`,
      `--group-replication-group-seeds=${seeds}`,
      '--group-replication-recovery-get-public-key=ON',
    ]);
  const group: [MysqlServer, MysqlServer] = await Promise.all([start(0), start(1)]);
  for (const [index, server] of group.entries()) {
    const connection = await server.admin.getConnection();
    await connection.query('RESET BINARY LOGS AND GTIDS');
    await connection.query('SET sql_log_bin = 0');
    await connection.query("CREATE USER recovery@'127.0.0.1' IDENTIFIED BY 'recovery'");
    await connection.query("GRANT REPLICATION SLAVE, GROUP_REPLICATION_STREAM ON *.* TO recovery@'127.0.0.1'");
    await connection.query('SET sql_log_bin = 1');
    await connection.query(`CHANGE REPLICATION SOURCE TO ${RECOVERY} FOR CHANNEL 'group_replication_recovery'`);
    if (index === 0) await connection.query('SET GLOBAL group_replication_bootstrap_group = ON');
    await connection.query('START GROUP_REPLICATION');
    if (index === 0) await connection.query('SET GLOBAL group_replication_bootstrap_group = OFF');
    connection.release();
  }
  await until('both members online', async () => {
    const [rows] = await group[1].admin.query(
      "SELECT member_id FROM performance_schema.replication_group_members WHERE member_state = 'ONLINE'",
    );
    return (rows as unknown[]).length === 2;
  });
  return group;
}
