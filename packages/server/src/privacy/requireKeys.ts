import { sql } from 'kysely';
import { ConfigError } from '../config.js';
import type { Db } from '../db/connect.js';
import { MARK } from '../db/sealing.js';
import type { KeyRing } from './keyRing.js';

/**
 * Whether everything that is under way can be read: without its key the place of a bid is a whole degree, and a chain would be chosen by
 * that. Rule S-148.
 *
 * @throws ConfigError naming the months whose keys are missing
 */
export async function requireKeys(db: Db, keyRing: KeyRing | undefined): Promise<void> {
  const { rows } = await sql<{ month: string }>`
    with live as materialized (
      select id, personal from packages where status in ('listed', 'swarm_forming', 'in_transit'))
    select distinct right(begins, 7) as month from (
      select left(personal, 15) as begins from live
      union all select left(personal, 15) from digital_tasks where status in ('listed', 'in_progress')
      union all select left(bids.personal, 15) from bids join live on live.id = bids.package_id where bids.ended_at is null
    ) as found where begins like ${sql.lit(`${MARK}%`)}`.execute(db);
  const here = new Set(await keyRing?.months());
  const missing = rows.map(({ month }) => month).filter((month) => !here.has(month));
  if (missing.length === 0) return;
  throw new ConfigError(
    `PERSONAL_DATA_KEYS: the keys of ${missing.sort().join(', ')} are not there, and what is under way is sealed with ` +
      'them. Set it to the folder that the service had before, or that its replicas have.',
  );
}
