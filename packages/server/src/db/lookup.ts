import { type LookupMatch, MAX_LOOKUP_MATCHES } from '@legwork/protocol/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.js';

const OF_PACKAGE = {
  columns: sql`packages.id as "packageId", null::uuid as "taskId", packages.description as title`,
  isVisible: sql`packages.status <> 'draft'`,
};
const OF_TASK = {
  columns: sql`null::uuid as "packageId", digital_tasks.id as "taskId", digital_tasks.title`,
  isVisible: sql`digital_tasks.status <> 'draft'`,
};

/** The things with an id, with the table and the listing of each. */
const THINGS = {
  package: { ...OF_PACKAGE, table: 'packages', from: sql`packages` },
  swarm: {
    ...OF_PACKAGE,
    table: 'swarms',
    from: sql`swarms join packages on packages.id = swarms.package_id`,
  },
  leg: {
    ...OF_PACKAGE,
    table: 'legs',
    from: sql`legs join swarms on swarms.id = legs.swarm_id join packages on packages.id = swarms.package_id`,
  },
  task: { ...OF_TASK, table: 'digital_tasks', from: sql`digital_tasks` },
  taskLeg: {
    ...OF_TASK,
    table: 'digital_legs',
    from: sql`digital_legs join digital_tasks on digital_tasks.id = digital_legs.task_id`,
  },
} as const;

type Thing = keyof typeof THINGS;

/** The things of one kind that the condition picks, newest first. */
function matchesOf(kind: Thing, field: LookupMatch['field'], condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const { table, from, columns, isVisible } = THINGS[kind];
  const id = sql.ref(`${table}.id`);
  return sql`select ${sql.lit(kind)} as kind, ${sql.lit(field)} as field, ${id}::text as id, ${columns}
    from ${from} where ${isVisible} and ${condition} order by ${id} desc limit ${MAX_LOOKUP_MATCHES}`;
}

async function read(db: Db, parts: readonly RawBuilder<unknown>[]): Promise<LookupMatch[]> {
  const { rows } = await sql<LookupMatch>`
    select * from (${sql.join(
      parts.map((part) => sql`(${part})`),
      sql` union `,
    )}) as match order by id desc limit ${MAX_LOOKUP_MATCHES}`.execute(db);
  return rows;
}

const KINDS = ['package', 'swarm', 'leg', 'task', 'taskLeg'] as const;

/**
 * The things whose id begins or ends so. The last six characters are found by an index, first and alone: a list ordered by
 * id could be walked through instead.
 *
 * @param part at least six hexadecimal characters, lower case, without hyphens
 */
export function lookUpIdPart(db: Db, part: string): Promise<LookupMatch[]> {
  const endsSo = (kind: Thing) => sql`${sql.ref(`${THINGS[kind].table}.id`)} = any (array(
    select found.id from ${sql.table(THINGS[kind].table)} as found
    where right(found.id::text, 6) = right(${part}, 6) and replace(found.id::text, '-', '') like '%' || ${part}))`;
  return read(
    db,
    KINDS.flatMap((kind) => [endsSo(kind), beginsSo(kind, part)].map((fits) => matchesOf(kind, 'id', fits))),
  );
}

const beginsSo = (kind: Thing, part: string) =>
  sql`${sql.ref(`${THINGS[kind].table}.id`)} between ${part.padEnd(32, '0')}::uuid and ${part.padEnd(32, 'f')}::uuid`;

/** The newest packages or digital tasks whose ids begin so. @param part hexadecimal characters, or none: the newest of all */
export const idsThatBegin = (db: Db, kind: 'package' | 'task', part: string): Promise<LookupMatch[]> =>
  read(db, [matchesOf(kind, 'id', beginsSo(kind, part))]);

/** The things at this address: an agent, or an account of the ledger. */
export function lookUpAddress(db: Db, address: string): Promise<LookupMatch[]> {
  const at = (kind: Thing, field: LookupMatch['field'], column: string) =>
    matchesOf(kind, field, sql`${sql.ref(`${THINGS[kind].table}.${column}`)} = ${address}`);
  return read(db, [
    agentCalled(address),
    sql`select 'agent', 'onChainPDA', agent_pubkey, null, null, agents.display_name
      from reputations left join agents on agents.pubkey = agent_pubkey where on_chain_pda = ${address}`,
    at('package', 'onChainPackage', 'on_chain_package'),
    at('package', 'onChainVault', 'on_chain_vault'),
    at('swarm', 'onChainSwarm', 'on_chain_swarm'),
    at('leg', 'onChainLeg', 'on_chain_leg'),
    at('task', 'onChainTask', 'on_chain_task'),
    at('task', 'onChainVault', 'on_chain_vault'),
    at('taskLeg', 'onChainLeg', 'on_chain_leg'),
  ]);
}

/** The wallet, if anything is known of it as an agent: it registered, bid, or worked. */
const agentCalled = (pubkey: string) => sql`
  select 'agent' as kind, 'agentPubkey' as field, ${pubkey}::text as id,
    null::uuid as "packageId", null::uuid as "taskId", agents.display_name as title
  from (values (${pubkey}::text)) as given (pubkey) left join agents using (pubkey)
  where agents.pubkey is not null
    or exists (select from reputations where agent_pubkey = ${pubkey})
    or exists (select from bids where agent_pubkey = ${pubkey})
    or exists (select from digital_legs where agent_pubkey = ${pubkey})
    or exists (select from barred_agents where agent_pubkey = ${pubkey})`;

/** The transaction, if it is about anything posted here, with the first package and the first task that it is about. */
export function lookUpTransaction(db: Db, signature: string): Promise<LookupMatch[]> {
  const first = (kind: string) => sql`(
    select split_part(subject, ':', 2)::uuid from unnest(subjects) as subject where subject like ${`${kind}:%`} limit 1)`;
  return read(db, [
    sql`select 'transaction' as kind, 'signature' as field, signature as id,
        packages.id as "packageId", digital_tasks.id as "taskId", coalesce(packages.description, digital_tasks.title) as title
      from ledger_transactions
      left join packages on packages.id = ${first('package')}
      left join digital_tasks on digital_tasks.id = ${first('task')}
      where signature = ${signature}`,
  ]);
}
