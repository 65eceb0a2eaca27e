import type { AgentOrder, Lamports } from '@legwork/protocol/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { isSignedOnly, type UnsignedCalls } from '../identity/signingKeys.js';

/** An agent as lists show it, with what the ledger holds about it and what it earned; null: nothing. */
export interface RankedAgentRow {
  agent_pubkey: string;
  display_name: string | null;
  capabilities: string[] | null;
  registered_at: Date | null;
  signed_only: boolean;
  legs_accepted: bigint | null;
  legs_completed: bigint | null;
  reliability_score: number | null;
  earned: Lamports | null;
  last_completed_at: Date | null;
}

/** The tables that say something of an agent, with the column of its address. */
const ADDRESS = { agents: 'pubkey', reputations: 'agent_pubkey', earnings: 'agent_pubkey' } as const;
type Table = keyof typeof ADDRESS;

/** The sort keys of each order, highest first, among the agents in its table; each with its database type. */
const ORDERS: Record<AgentOrder, { of: Table; by: readonly (readonly [column: string, type: string])[] }> = {
  newest: { of: 'agents', by: [['registered_at', 'timestamptz']] },
  earned: { of: 'earnings', by: [['lamports', 'int8']] },
  recent: { of: 'earnings', by: [['last_completed_at', 'timestamptz']] },
  completed: { of: 'reputations', by: [['legs_completed', 'int8']] },
  reliability: {
    of: 'reputations',
    by: [
      ['reliability_score', 'int8'],
      ['legs_completed', 'int8'],
    ],
  },
};

/** A page of agents, in an order, after the position where the page before ended. */
export interface RankingPage {
  order: AgentOrder;
  /** The beginning of a name, in any case, or of an address; undefined: all agents. */
  prefix: string | undefined;
  /** The sort keys of the last agent, then its address. */
  after: readonly string[] | undefined;
  limit: number;
}

const addressIn = (table: Table) => sql.ref<string>(`${table}.${ADDRESS[table]}`);

/** Reads a page of agents; equal ones come by address, in the order of its bytes. */
export async function pageOfAgents(
  db: Db,
  unsignedCalls: UnsignedCalls,
  { order, prefix, after, limit }: RankingPage,
): Promise<RankedAgentRow[]> {
  const { of, by } = ORDERS[order];
  const address = addressIn(of);
  const inBytes = sql`${address} collate "C"`;
  const columns = by.map(([column]) => sql.ref(`${of}.${column}`));
  const others = (['agents', 'reputations', 'earnings'] as const).filter((table) => table !== of);
  const joins = others.map((table) => sql`left join ${sql.table(table)} on ${addressIn(table)} = ${address}`);
  const { rows } = await sql<RankedAgentRow>`
    select ${address} as agent_pubkey, agents.display_name, agents.capabilities, agents.registered_at,
      ${isSignedOnly(unsignedCalls)} as signed_only, reputations.legs_accepted, reputations.legs_completed,
      reputations.reliability_score, earnings.lamports as earned, earnings.last_completed_at
    from ${sql.table(of)} ${sql.join(joins, sql` `)} left join signing_keys on signing_keys.pubkey = ${address}
    where ${await startsWith(db, of, prefix)} and ${comesAfter(order, columns, inBytes, after)}
    order by ${sql.join(columns.map((column) => sql`${column} desc`))}, ${inBytes} limit ${limit}`.execute(db);
  return rows;
}

/** Up to so many agents are looked up and sorted; among more, the order is followed until a page is full. */
const FEW = 1_000;

/** True if the name, in any case, or the address begins with the prefix. */
async function startsWith(db: Db, of: Table, prefix: string | undefined): Promise<RawBuilder<boolean>> {
  if (prefix === undefined) return sql<boolean>`true`;
  const address = addressIn(of);
  const byAddress = begins(sql`${address}`, sql`${prefix}::text`);
  const byName = begins(sql`lower(agents.display_name)`, sql`lower(${prefix})`);
  const { rows } = await sql<{ found: string }>`
    select ${address} as found from ${sql.table(of)} where ${byAddress}
    union all select pubkey from agents where ${byName} limit ${FEW + 1}`.execute(db);
  if (rows.length > FEW) return sql<boolean>`(${byAddress} or ${byName})`;
  return sql<boolean>`${address} = any (${rows.map(({ found }) => found)}::text[])`;
}

/** By bytes it sorts after every other character. */
const LAST_CHARACTER = '\u{10ffff}';

/** A range, because `^@` finds its rows by an index only where the plan is made for this very prefix. */
const begins = (text: RawBuilder<unknown>, prefix: RawBuilder<unknown>) =>
  sql<boolean>`(${text} collate "C" >= ${prefix} and ${text} collate "C" < ${prefix} || ${LAST_CHARACTER}
    and starts_with(${text}, ${prefix}))`;

/** Rows compare by an index up to the last agent's equals; among them, its address decides. */
function comesAfter(
  order: AgentOrder,
  columns: readonly RawBuilder<unknown>[],
  inBytes: RawBuilder<unknown>,
  after: readonly string[] | undefined,
) {
  if (after === undefined) return sql<boolean>`true`;
  const values = ORDERS[order].by.map(([, type], index) => sql`${after[index] ?? null}::${sql.raw(type)}`);
  const [keys, last] = [sql.join(columns), sql.join(values)];
  return sql<boolean>`(${keys}) <= (${last}) and ((${keys}) < (${last}) or ${inBytes} > ${after.at(-1) ?? ''})`;
}
