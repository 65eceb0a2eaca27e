import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Trx } from '../db/connect.js';

/**
 * The most that decided intents which are not done yet cost, lamports. Those done within the last `readingSec` seconds count too, as do fees
 * that were paid for others: a balance read so long ago need not show it. So do shares, which others may promise.
 */
export async function readPromised(trx: Trx, readingSec: number): Promise<Lamports> {
  const { rows } = await sql<{ lamports: bigint }>`
    select (
      (select coalesce(sum(cost_lamports), 0) from outbox where status in ('pending', 'sent')) +
      (select coalesce(sum(cost_lamports), 0) from outbox where status in ('done', 'failed')
        and cost_lamports > 0 and updated_at > now() - make_interval(secs => ${readingSec})) +
      (select coalesce(sum(lamports), 0) from fund_shares) +
      (select coalesce(sum(lamports), 0) from sponsorships where purpose = 'fees'
        and created_at > now() - make_interval(secs => ${readingSec}))
    )::int8 as lamports`.execute(trx);
  return toLamports(rows[0]?.lamports ?? 0n);
}

/** A share is good for as long as a reading of the balance is, by which it was granted, seconds. */
const GOOD_SEC = 3;

/** True once nobody begins to spend of a share any more. */
const isStale = sql<boolean>`granted_at <= clock_timestamp() - make_interval(secs => ${GOOD_SEC})`;

/**
 * Finds a share with so much left that nobody else is spending of, and keeps others off it until the transaction ends. Another transaction
 * may note meanwhile what it spends of it.
 *
 * @returns undefined: there is none
 */
export async function holdShare(trx: Trx, lamports: Lamports): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`
    select id from fund_shares as own
    where share is null and not ${isStale}
      and lamports + (select coalesce(sum(lamports), 0) from fund_shares as spent where spent.share = own.id) >= ${lamports}
    limit 1 for no key update skip locked`.execute(trx);
  return rows[0]?.id;
}

/** Notes, in the transaction that promises so much, that it comes from the share. */
export async function noteSpent(trx: Trx, share: bigint, lamports: Lamports): Promise<void> {
  await sql`insert into fund_shares (share, lamports) values (${share}, -${lamports}::int8)`.execute(trx);
}

/** Sets shares aside. The caller holds the lock of the funds, and has counted what is left. */
export async function grantShares(trx: Trx, shares: number, lamports: Lamports): Promise<void> {
  await sql`insert into fund_shares (lamports) select ${lamports} from generate_series(1, ${shares}::int4)`.execute(
    trx,
  );
}

/**
 * Takes stale shares back, but for those that somebody still spends of. The caller holds the lock of the funds, and counts what is left
 * afterwards.
 */
export async function takeStaleSharesBack(trx: Trx): Promise<void> {
  await sql`delete from fund_shares where id = any (array(
    select id from fund_shares where share is null and ${isStale} for update skip locked))`.execute(trx);
}
