import type { EventType } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { termsOf } from '../ledger/terms.js';
import type { Db, Trx } from '../db/connect.js';
import { setClocks } from '../legs/moveRows.js';
import { isPackage, type ListingRow, subjectOf } from '../db/listings.js';
import type { HistoryPosition } from '../db/ledgerTransactions.js';

/** A transaction that was applied in one slot and is final in another, with that other slot. */
export interface MovedTransaction extends HistoryPosition {
  subjects: string[];
}

/** Those of these final transactions about listings that were applied in another slot, and have no place yet. */
export async function movedAmong(db: Db, final: readonly HistoryPosition[]): Promise<MovedTransaction[]> {
  const { rows } = await sql<MovedTransaction>`
    select final.signature, final.slot, applied.subjects
    from unnest(${final.map(({ signature }) => signature)}::text[], ${final.map(({ slot }) => slot)}::int8[])
      as final (signature, slot)
    join ledger_transactions as applied using (signature)
    where applied.slot <> final.slot and applied.position is null and applied.unreadable is null
      and cardinality(applied.subjects) > 0`.execute(db);
  return rows;
}

/** The clocks that an event's own transaction begins: the field that says when it ends, and how long it runs. */
const CLOCKS_TOLD = [
  ['TASK_LEG_ASSIGNED', 'dueAt', 'handoffSec'],
  ['LEG_CARRIED', 'until', 'carrySec'],
  ['LEG_CLAIMED', 'until', 'reviewSec'],
  ['LEG_DISPUTED', 'until', 'arbitrationSec'],
] as const satisfies readonly (readonly [EventType, 'dueAt' | 'until', string])[];

/**
 * Puts right what is shown of a listing with terms and follows from when this transaction landed. How long an opening takes bids
 * stays as it was told: bidders count on it. The caller holds the listing's lock.
 */
export async function correctInstants(trx: Trx, listing: ListingRow, signature: string, at: Date): Promise<void> {
  const legs = isPackage(listing)
    ? sql`select legs.id from legs join swarms on swarms.id = legs.swarm_id where swarms.package_id = ${listing.id}`
    : sql`select id from digital_legs where task_id = ${listing.id}`;
  const table = sql.table(isPackage(listing) ? 'legs' : 'digital_legs');
  await sql`update leg_moves set at = ${at} where signature = ${signature} and leg_id in (${legs})`.execute(trx);
  await sql`update ${table} set since = ${at} where since_signature = ${signature} and id in (${legs})`.execute(trx);
  if (isPackage(listing)) await correctEnd(trx, signature, at);
  if (listing.status === 'in_transit' || listing.status === 'in_progress') await setClocks(trx, listing);
  await correctEvents(trx, listing, signature, at);
}

/** If the transaction gave a vacant leg to another courier, the row of the former one ended with it. */
async function correctEnd(trx: Trx, signature: string, at: Date): Promise<void> {
  await sql`
    update legs set ended_at = ${at} from legs successor
    where successor.assign_signature = ${signature}
      and legs.swarm_id = successor.swarm_id and legs.leg_index = successor.leg_index
      and legs.formation = (
        select max(former.formation) from legs former
        where former.swarm_id = successor.swarm_id and former.leg_index = successor.leg_index
          and former.formation < successor.formation)`.execute(trx);
}

async function correctEvents(trx: Trx, listing: ListingRow, signature: string, at: Date): Promise<void> {
  const terms = termsOf(listing);
  for (const [type, field, clock] of CLOCKS_TOLD) {
    const end = new Date(at.getTime() + terms[clock] * 1000);
    const told = type === 'LEG_CARRIED' && end > listing.deadline ? listing.deadline : end;
    await sql`
      update events set payload = payload || jsonb_build_object(${field}::text, ${told.toISOString()}::text)
      where subject = ${subjectOf(listing)} and type = ${type} and payload ->> 'signature' = ${signature}`.execute(trx);
  }
}
