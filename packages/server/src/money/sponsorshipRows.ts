import { type Lamports, toLamports } from '@legwork/protocol/contract';
import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { isHalted } from '../db/finality.js';
import type { IntentKind, SponsorshipsTable } from '../db/schema.js';

export type NewSponsorship = Insertable<SponsorshipsTable>;

/** The poster that asks the coordinator for money. */
export interface Asking {
  poster: string;
  /** True if the poster signed the request. */
  signed: boolean;
  ip: string;
  /** The use of the money. */
  purpose: 'listing' | 'fees';
}

/** The coordinator's advances that caps are held against. */
export interface Advanced {
  /** For the poster, of what it signed or of what it did not sign: in the last 24 hours, or outstanding. */
  poster: Lamports;
  /** For the address: in the last 24 hours, or outstanding. */
  ip: Lamports;
  /** In the last 24 hours. */
  day: Lamports;
  /** Not back yet. */
  outstanding: Lamports;
}

const FUNDS = sql`hashtextextended('sponsorships', 0)`;

/** Takes the lock of {@link lockFunds} if nobody has it. */
export async function tryLockFunds(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${FUNDS}) as held`.execute(trx);
  return rows[0]?.held === true;
}

/**
 * Lets one transaction at a time, among all replicas, decide by sums what the coordinator spends: sums and what follows from them
 * belong together. Reads after it see what the others decided, unless the transaction is of a higher isolation than read
 * committed. Who locks a package too does that afterwards: an evaluation has two transactions, and PostgreSQL would not see that
 * one waits for the other.
 */
export async function lockFunds(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FUNDS})`.execute(trx);
}

/** The sums that caps are held against, of one purpose. The caller holds the lock. */
export async function readAdvanced(trx: Trx, { poster, signed, ip, purpose }: Asking): Promise<Advanced> {
  const isOfDay = sql<boolean>`created_at > now() - interval '24 hours'`;
  const { rows } = await sql<Record<keyof Advanced, bigint>>`
    select coalesce(sum(lamports) filter (where poster_pubkey = ${poster} and signed = ${signed}), 0)::int8 as poster,
      coalesce(sum(lamports) filter (where ip = ${ip}), 0)::int8 as ip,
      coalesce(sum(lamports) filter (where ${isOfDay}), 0)::int8 as day,
      coalesce(sum(lamports) filter (where not is_returned), 0)::int8 as outstanding
    from sponsorships where purpose = ${purpose} and (${isOfDay} or not is_returned)`.execute(trx);
  const [sums] = rows;
  if (!sums) throw new Error('an aggregate without a row');
  return {
    poster: toLamports(sums.poster),
    ip: toLamports(sums.ip),
    day: toLamports(sums.day),
    outstanding: toLamports(sums.outstanding),
  };
}

/** The lamports in listings that the coordinator funded, not back yet. */
export async function readOutstanding(db: Db | Trx): Promise<Lamports> {
  const { rows } = await sql<{ lamports: bigint }>`
    select coalesce(sum(lamports), 0)::int8 as lamports from sponsorships
    where purpose = 'listing' and not is_returned`.execute(db);
  return toLamports(rows[0]?.lamports ?? 0n);
}

export async function insertSponsorship(trx: Trx, sponsorship: NewSponsorship): Promise<void> {
  await trx.insertInto('sponsorships').values(sponsorship).execute();
}

/** Whether the coordinator funds the listing. */
export async function isSponsored(db: Db, subjectId: string): Promise<boolean> {
  const advances = db.selectFrom('sponsorships').select('subject_id').where('subject_id', '=', subjectId);
  return (await advances.where('purpose', '=', 'listing').executeTakeFirst()) !== undefined;
}

/** The listing came to nothing: deletes the draft, and its money counts under no cap. */
export async function revokeSponsorship(trx: Trx, subjectId: string): Promise<void> {
  await trx.deleteFrom('sponsorships').where('subject_id', '=', subjectId).execute();
  await trx.deleteFrom('packages').where('id', '=', subjectId).where('status', '=', 'draft').execute();
  await trx.deleteFrom('digital_tasks').where('id', '=', subjectId).where('status', '=', 'draft').execute();
}

/** A way out for the coordinator's money. */
export type DueExit = {
  id: string;
  /** Unique key of the intent that takes it. */
  key: string;
} & (
  | { of: 'package'; kind: Extract<IntentKind, 'cancel_package' | 'reclaim_package' | 'close_package'> }
  | { of: 'task'; kind: Extract<IntentKind, 'cancel_task' | 'reclaim_task' | 'close_task'> }
);

/**
 * Sponsored packages and digital tasks whose money is to come back and for which that was not decided before: listed or under
 * way at their deadline, or over with an account that is still open. A task is listed again once its agents are released: each
 * time counts again. Nothing of a halted listing is due.
 */
export async function dueExits(db: Db, choice: { ledgerTime: Date; limit: number }): Promise<DueExit[]> {
  const { rows } = await sql<DueExit>`
    select due.* from (
      select exits.id, 'package' as of, exits.kind, exits.kind || ':' || exits.id as key from (
        select p.id, case p.status when 'listed' then 'cancel_package' when 'in_transit' then 'reclaim_package'
          else 'close_package' end as kind
        from sponsorships s join packages p on p.id = s.subject_id
        where not s.is_returned and (p.status in ('delivered', 'failed')
          or p.status in ('listed', 'in_transit') and p.deadline <= ${choice.ledgerTime})
      ) exits
      union all
      select exits.id, 'task', exits.kind, exits.kind || ':' || exits.id || ':' || (
        select count(*) from barred_agents where task_id = exits.id and release_signature is not null
      ) from (
        select t.id, case t.status when 'listed' then 'cancel_task' when 'in_progress' then 'reclaim_task'
          else 'close_task' end as kind
        from sponsorships s join digital_tasks t on t.id = s.subject_id
        where not s.is_returned and (t.status in ('completed', 'failed')
          or t.status in ('listed', 'in_progress') and t.deadline <= ${choice.ledgerTime})
      ) exits
    ) due
    where not exists (select from outbox where unique_key = due.key) and not ${isHalted(sql`due.of || ':' || due.id`)}
    limit ${choice.limit}`.execute(db);
  return rows;
}

/** Returns whether anything is listed whose money has not come back to the coordinator yet. */
export async function hasOpenSponsorships(db: Db): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select exists (
      select from sponsorships s join packages p on p.id = s.subject_id
      where not s.is_returned and p.status <> 'draft'
    ) or exists (
      select from sponsorships s join digital_tasks t on t.id = s.subject_id
      where not s.is_returned and t.status <> 'draft'
    ) as open`.execute(db);
  return rows[0]?.open ?? false;
}

/** Marks the coordinator's advance for the listing, if any, as no longer outstanding. */
export async function markReturned(trx: Trx, subjectId: string): Promise<void> {
  await trx.updateTable('sponsorships').set({ is_returned: true }).where('subject_id', '=', subjectId).execute();
}

/** The ledger took back, or has not shown yet, that it is back. */
export async function markNotReturned(trx: Trx, subjectId: string): Promise<void> {
  await trx
    .updateTable('sponsorships')
    .set({ is_returned: false })
    .where('subject_id', '=', subjectId)
    .where('purpose', '=', 'listing')
    .execute();
}

/** Deletes sponsorships that no longer count under any cap. */
export async function forgetSponsorships(db: Db): Promise<void> {
  await sql`delete from sponsorships where created_at <= now() - interval '24 hours' and is_returned`.execute(db);
}
