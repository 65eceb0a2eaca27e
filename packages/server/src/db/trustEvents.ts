import { MAX_TRUST_PENALTY } from '@legwork/protocol/rules';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.js';

/** How long what was presented against an agent counts, unless it completes a leg before. Rule M-65. */
const STANDS_FOR = sql`interval '30 days'`;

/**
 * The trust adjustment of an agent now, in percent points: that of one event however many stand. An event stands for 30 days,
 * or until the agent's next leg, of a package or of a digital task, is completed. Rules M-14, M-65.
 */
export const trustAdjustment = (agent: RawBuilder<string>) =>
  sql<number>`(select coalesce(min(adjustment_percent), 0)::int4 from trust_events
    where trust_events.agent_pubkey = ${agent} and occurred_at > clock_timestamp() - ${STANDS_FOR}
      and not exists (
        select from legs where legs.agent_pubkey = ${agent} and status = 'completed' and completed_at > occurred_at)
      and not exists (
        select from digital_legs
        where digital_legs.agent_pubkey = ${agent} and status = 'completed' and completed_at > occurred_at))`;

/** Notes that an expired credential was presented, once however often it is. Rule M-65. */
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
