import { MAX_TRUST_PENALTY } from '@legwork/protocol/rules';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';

/**
 * Records that this key issues the credentials from now on. The previous one becomes a former key; a former key that comes back
 * is current again. Of replicas with different keys the last to start decides. Rule S-66.
 */
export async function noteIssuer(trx: Trx, pubkey: string): Promise<void> {
  // Of two replicas that start at once, the second replaces the key of the first.
  await sql`select pg_advisory_xact_lock(hashtextextended('issuer_keys', 0))`.execute(trx);
  await trx
    .updateTable('issuer_keys')
    .set({ until: sql<Date>`clock_timestamp()` })
    .where('until', 'is', null)
    .where('pubkey', '<>', pubkey)
    .execute();
  await trx
    .insertInto('issuer_keys')
    .values({ pubkey, until: null })
    .onConflict((conflict) => conflict.column('pubkey').doUpdateSet({ until: null }))
    .execute();
}

/** Every key that issues credentials here, or did. */
export async function listIssuers(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('issuer_keys').select('pubkey').execute();
  return rows.map(({ pubkey }) => pubkey);
}

/** How long an event counts against an agent that completes no leg. Rule M-65. */
const STANDS_FOR = sql`interval '30 days'`;

/**
 * The trust adjustment of an agent now, in percent points: that of one event however many stand. An event stands for 30 days,
 * or until the agent completes its next leg, of a package or of a digital task. Rule M-14.
 */
export const trustAdjustment = (agent: RawBuilder<string>) =>
  sql<number>`(select coalesce(min(adjustment_percent), 0)::int4 from trust_events
    where trust_events.agent_pubkey = ${agent} and occurred_at > clock_timestamp() - ${STANDS_FOR}
      and not exists (
        select from legs where legs.agent_pubkey = ${agent} and status = 'completed' and completed_at > occurred_at)
      and not exists (
        select from digital_legs
        where digital_legs.agent_pubkey = ${agent} and status = 'completed' and completed_at > occurred_at))`;

/** Records that an expired credential was presented, once however often it is. */
export async function recordExpired(db: Db, credential: { jti: string; agentPubkey: string }): Promise<void> {
  await db
    .insertInto('trust_events')
    .values({
      jti: credential.jti,
      agent_pubkey: credential.agentPubkey,
      type: 'VcExpired',
      adjustment_percent: MAX_TRUST_PENALTY,
      occurred_at: sql<Date>`clock_timestamp()`,
    })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute();
}
