import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import { deleteInBatches } from '../db/transaction.js';

/** An agent without a reputation account, and where its bid or claim came from. */
export interface Newcomer {
  agent_pubkey: string;
  /** The address, as limits count it; null: from before addresses were kept. */
  client: string | null;
}

/** Accounts that the coordinator paid for, or has decided to, in the last 24 hours. */
export interface ChargedNewcomers {
  inAll: number;
  byClient: ReadonlyMap<string, number>;
  /** The agents asked for whose account was charged. */
  agents: ReadonlySet<string>;
}

const A_DAY_AGO = sql`now() - interval '24 hours'`;

/** The address that pays for a newcomer's account out of its budget. */
export const clientOf = ({ client }: Newcomer): string => client ?? '';

/** The sums charged to these newcomers' addresses, and in all. */
export async function readCharged(db: Db | Trx, newcomers: readonly Newcomer[]): Promise<ChargedNewcomers> {
  const agents = newcomers.map(({ agent_pubkey }) => agent_pubkey);
  const clients = [...new Set(newcomers.map(clientOf))];
  const { rows } = await sql<{ total: bigint; by_client: Record<string, number> | null; agents: string[] | null }>`
    select
      (select count(*) from newcomers where charged_at > ${A_DAY_AGO}) as total,
      (select json_object_agg(client, charged) from (
        select client, count(*) as charged from newcomers
        where charged_at > ${A_DAY_AGO} and client = any(${clients}::text[]) group by client) sums) as by_client,
      (select array_agg(agent_pubkey) from newcomers
        where charged_at > ${A_DAY_AGO} and agent_pubkey = any(${agents}::text[])) as agents`.execute(db);
  const [sums] = rows;
  if (!sums) throw new Error('an aggregate without a row');
  return {
    inAll: Number(sums.total),
    byClient: new Map(Object.entries(sums.by_client ?? {})),
    agents: new Set(sums.agents ?? []),
  };
}

/** Charges the newcomers' accounts to the addresses they came from, each once in 24 hours. */
export async function chargeNewcomers(trx: Trx, newcomers: readonly Newcomer[]): Promise<void> {
  if (newcomers.length === 0) return;
  await trx
    .insertInto('newcomers')
    .values(newcomers.map((newcomer) => ({ agent_pubkey: newcomer.agent_pubkey, client: clientOf(newcomer) })))
    .onConflict((conflict) =>
      conflict
        .column('agent_pubkey')
        .doUpdateSet((eb) => ({ client: eb.ref('excluded.client'), charged_at: eb.ref('excluded.charged_at') }))
        .where('newcomers.charged_at', '<=', sql<Date>`${A_DAY_AGO}`),
    )
    .execute();
}

/** Deletes charges that no longer count, and the addresses of bids that can no longer win. @returns how many charges */
export async function sweepNewcomers(db: Db): Promise<number> {
  await sql`
    update bids set client = null where id = any (array(
      select id from bids where client is not null and expires_at < now() - interval '1 minute' limit 5000
    ))`.execute(db);
  return deleteInBatches(db, 'newcomers', sql`charged_at <= ${A_DAY_AGO}`);
}
