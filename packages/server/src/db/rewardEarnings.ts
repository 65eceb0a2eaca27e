import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Trx } from './connect.js';

/** What the completed digital legs of a key have paid. Rule M-66. */
export interface Earnings {
  earnings: Lamports;
  /** From tasks that somebody else than their posters paid for. */
  sponsored: Lamports;
  /** Completed legs. */
  legs: number;
  /** Distinct posters of their tasks. */
  posters: number;
  /** Of the last of them in the ledger's order; null: there is none. */
  lastConfirmSignature: string | null;
  /**
   * A result of the key waits for its payment, or the place of one of its payments in the ledger's order is not known yet:
   * the figures are about to change.
   */
  isChanging: boolean;
}

/** In one statement, so that all of it is of the same instant. */
export async function readEarnings(trx: Trx, pubkey: string): Promise<Earnings> {
  const { rows } = await sql<{
    earnings: bigint;
    sponsored: bigint;
    legs: number;
    posters: number;
    last_confirm_signature: string | null;
    is_changing: boolean;
  }>`
    with paid as (
      select leg.payment_lamports, leg.confirm_signature, task.shipper_pubkey,
        task.funder_pubkey <> task.shipper_pubkey as is_sponsored, applied.slot, applied.applied_at
      from digital_legs as leg
      join digital_tasks as task on task.id = leg.task_id
      -- One row, even of a transaction that holds several instructions: money must not be counted twice.
      left join lateral (
        select slot, applied_at from applied_instructions where signature = leg.confirm_signature limit 1
      ) as applied on true
      where leg.agent_pubkey = ${pubkey} and leg.status = 'completed'
    )
    select coalesce(sum(payment_lamports), 0)::int8 as earnings,
      coalesce(sum(payment_lamports) filter (where is_sponsored), 0)::int8 as sponsored,
      count(*)::int4 as legs,
      count(distinct shipper_pubkey)::int4 as posters,
      -- The watcher projects in the ledger's order, one transaction after another: within a slot its time says which came last.
      (array_agg(confirm_signature order by slot desc, applied_at desc))[1] as last_confirm_signature,
      coalesce(bool_or(slot is null), false) or exists (
        select from digital_legs
        where agent_pubkey = ${pubkey} and status in ('pending', 'in_progress') and result is not null
      ) as is_changing
    from paid`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate has one row');
  return {
    earnings: toLamports(row.earnings),
    sponsored: toLamports(row.sponsored),
    legs: row.legs,
    posters: row.posters,
    lastConfirmSignature: row.last_confirm_signature,
    isChanging: row.is_changing,
  };
}
