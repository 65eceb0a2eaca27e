import { createHash } from 'node:crypto';
import { address } from '@solana/kit';
import { type RawBuilder, sql } from 'kysely';
import type { TestService } from './service.js';
import { until } from './until.js';

/** Everything but nonces: a nonce may be spent by a request that is refused (S-13). */
const TABLES = [
  'agents',
  'barred_agents',
  'bids',
  'digital_legs',
  'digital_tasks',
  'earnings',
  'events',
  'evidence',
  'issuer_keys',
  'leg_moves',
  'legs',
  'newcomers',
  'outbox',
  'packages',
  'reputations',
  'reward_claims',
  'signing_keys',
  'sponsorships',
  'swarms',
  'trust_events',
  'webhooks',
] as const;
/** An event is numbered in the background, a moment after what it tells of. */
const UNNUMBERED = sql`(to_jsonb(t) - 'seq')::text`;
/** A webhook is delivered to in the background. */
const UNDELIVERED = sql`(to_jsonb(t) - array['acked_seq', 'attempts', 'failing_since', 'last_error', 'delivered_at', 'available_at',
  'lease_token', 'leased_until', 'told', 'look_at'])::text`;
/** The most accounts that one getMultipleAccounts takes. */
const ACCOUNTS_A_CALL = 100;

/** The state that a refused request must leave as it was. */
export interface Snapshot {
  /** Table to `rows hash`. */
  tables: Record<string, string>;
  /** Address to `lamports hash-of-data`; null: no such account. */
  accounts: Record<string, string | null>;
}

function stateOf(table: string): RawBuilder<unknown> {
  if (table === 'webhooks') return UNDELIVERED;
  return table === 'events' ? UNNUMBERED : sql`t::text`;
}

async function tables(service: TestService): Promise<Snapshot['tables']> {
  const of = (name: string) => sql`
    select ${name}::text as name, count(*)::text || ' ' || coalesce(md5(string_agg(row, ';' order by row)), '') as state
    from (select ${stateOf(name)} as row from ${sql.table(name)} as t) as rows`;
  const { rows } = await sql<{ name: string; state: string }>`${sql.join(TABLES.map(of), sql` union all `)}`.execute(
    service.db,
  );
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

/** Every address that the tables know. */
async function knownAddresses(service: TestService): Promise<string[]> {
  const { rows } = await sql<{ known: string }>`
    select on_chain_package as known from packages union select on_chain_vault from packages
    union select shipper_pubkey from packages union select on_chain_swarm from swarms
    union select on_chain_leg from legs union select agent_pubkey from bids
    union select on_chain_task from digital_tasks union select on_chain_vault from digital_tasks
    union select shipper_pubkey from digital_tasks union select on_chain_leg from digital_legs
    union select agent_pubkey from digital_legs where agent_pubkey is not null
    union select on_chain_pda from reputations union select pubkey from agents`.execute(service.db);
  return rows.map(({ known }) => known);
}

async function accounts(service: TestService, addresses: readonly string[]): Promise<Snapshot['accounts']> {
  const states: Snapshot['accounts'] = {};
  for (let from = 0; from < addresses.length; from += ACCOUNTS_A_CALL) {
    const part = addresses.slice(from, from + ACCOUNTS_A_CALL);
    const { value } = await service.rpc
      .getMultipleAccounts(
        part.map((one) => address(one)),
        { commitment: 'confirmed', encoding: 'base64' },
      )
      .send();
    part.forEach((one, index) => {
      const account = value[index];
      states[one] = account
        ? `${account.lamports} ${createHash('sha256').update(account.data[0]).digest('hex')}`
        : null;
    });
  }
  return states;
}

/** The rows of every business table, and lamports and data of every account they name, of `wallets` and the coordinator. */
export async function snapshot(service: TestService, wallets: readonly string[] = []): Promise<Snapshot> {
  const known = await knownAddresses(service);
  const addresses = [...new Set([...known, ...wallets, service.server.coordinatorPubkey])].sort();
  const [inTables, onLedger] = await Promise.all([tables(service), accounts(service, addresses)]);
  return { tables: inTables, accounts: onLedger };
}

/** The tables and accounts in which two snapshots differ. */
export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  const states = ({ tables: inTables, accounts: onLedger }: Snapshot) =>
    new Map(Object.entries({ ...inTables, ...onLedger }));
  const [earlier, later] = [states(before), states(after)];
  return [...new Set([...earlier.keys(), ...later.keys()])].filter((name) => earlier.get(name) !== later.get(name));
}

/** Reports whether the service has mirrored the newest transaction that the ledger shows of its program. */
async function isMirrored(service: TestService): Promise<boolean> {
  const [newest] = await service.rpc
    .getSignaturesForAddress(address(service.server.programId), { commitment: 'confirmed', limit: 1 })
    .send();
  const cursor = await service.db
    .selectFrom('meta')
    .select('value')
    .where('key', '=', 'watcher_cursor')
    .executeTakeFirst();
  return newest === undefined || cursor?.value.endsWith(newest.signature) === true;
}

/** Waits until nothing is under way in the background. */
export async function untilQuiet(service: TestService): Promise<void> {
  await until('the service comes to rest', async () => {
    // First: what is mirrored after it was asked for may leave something under way.
    const mirrored = await isMirrored(service);
    const { rows } = await sql<{ busy: boolean }>`
      select exists (select from outbox where status in ('pending', 'sent'))
        or exists (select from events where seq is null)
        or exists (select from packages where evaluate_at <= now() and status = 'listed')
        -- A reservation that came due longer ago waits for money.
        or exists (select from digital_legs where turn_at > now() - interval '3 seconds') as busy`.execute(service.db);
    return rows[0] && !rows[0].busy && mirrored;
  });
}

/**
 * Waits until the coordinator has taken back what it funded and is over. It does so by itself, up to two seconds later, and a
 * test that looks at everything would take it for its own doing.
 */
export async function untilTakenBack(service: TestService): Promise<void> {
  await until('the coordinator takes back what it funded', async () => {
    const { rows } = await sql<{ open: boolean }>`
      select exists (select from sponsorships join packages on packages.id = subject_id
          where packages.status in ('delivered', 'failed') and close_signature is null)
        or exists (select from sponsorships join digital_tasks on digital_tasks.id = subject_id
          where digital_tasks.status in ('completed', 'failed') and close_signature is null)
        or exists (select from outbox where kind in ('close_package', 'close_task')
          and status in ('pending', 'sent')) as open`.execute(service.db);
    return rows[0] && !rows[0].open;
  });
}
