import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { PostgresInUseError } from './errors.js';

/** The service's role and its database. */
export const RELAY = 'relay';

/** Advisory locks are numbers; this one spells "relay". */
const LEASE = '491327873401';
/** A killed supervisor's connection is noticed at once; a server under load may need a moment for it. */
const LEASE_PATIENCE_MS = 2000;

/**
 * Makes this connection's owner the supervisor. PostgreSQL itself drops the lease with the connection, so that a killed
 * supervisor leaves none behind, whatever process numbers are reused.
 *
 * @throws {@link PostgresInUseError} when another living process has it
 */
export async function takeLease(client: Client, cluster: string): Promise<void> {
  const deadline = Date.now() + LEASE_PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LEASE]);
    if (rows[0]?.taken) return;
    if (Date.now() >= deadline) break;
    await sleep(50);
  }
  const { rows } = await client.query<{ holder: string }>(
    `select application_name as holder from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = $1`,
    [LEASE],
  );
  const holder = rows[0] ? ` (${rows[0].holder})` : '';
  throw new PostgresInUseError(
    `The PostgreSQL in ${cluster} is in use by another running Legwork${holder}. ` +
      'Stop that one, use another data folder, or set DATABASE_URL to share one database.',
  );
}

/** Makes the role and the database where they are missing. The role owns its database and nothing else. */
export async function ensureRelay(client: Client): Promise<void> {
  const role = await client.query('select from pg_roles where rolname = $1', [RELAY]);
  if (role.rowCount === 0) await client.query(`create role ${RELAY} login`);
  const database = await client.query('select from pg_database where datname = $1', [RELAY]);
  if (database.rowCount === 0) await client.query(`create database ${RELAY} owner ${RELAY}`);
}
