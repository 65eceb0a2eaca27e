import type { FailureReason } from '@legwork/protocol/contract';
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import { compiled } from '../db/statements.js';
import type { Db, Trx } from '../db/connect.js';
import type { Database, LegRow, NewLeg, SwarmRow } from '../db/schema.js';
import { BID_PLACES } from '../bids/bidRows.js';
import { rounded, withPersonal } from '../db/sealing.js';
import { INITIAL_STATUS, transition, transitionAll } from '../db/transition.js';

export type NewSwarm = Omit<SwarmRow, 'created_at' | 'status' | 'form_signature' | 'settle_signature' | 'failure'> &
  Partial<Pick<SwarmRow, 'created_at'>>;

/** A swarm with its legs in order. */
export interface SwarmWithLegs extends SwarmRow {
  legs: LegRow[];
}

/** A swarm with the instant at which the ledger showed its formation; null: it has not. */
export interface FormedSwarm extends SwarmWithLegs {
  formed_at: Date | null;
}

const formations = compiled((db, { packageId }: { packageId: string }) =>
  db
    .selectFrom('swarms')
    .innerJoin('ledger_transactions', 'ledger_transactions.signature', 'swarms.form_signature')
    .select(['ledger_transactions.signature', 'ledger_transactions.applied_at'])
    .where('swarms.package_id', '=', packageId),
);

/** When the ledger showed the formations of the package, by the signatures of their transactions. */
export async function readFormations(db: Db | Trx, packageId: string): Promise<ReadonlyMap<string, Date>> {
  return new Map((await formations(db, { packageId })).map((row) => [row.signature, row.applied_at]));
}

/** Adds when the swarm was formed; a version before may not have kept that: then it is when its chain was chosen. */
export function withFormation(swarm: SwarmWithLegs, formedAt: ReadonlyMap<string, Date>): FormedSwarm {
  const { form_signature: formedBy } = swarm;
  return { ...swarm, formed_at: formedBy === null ? null : (formedAt.get(formedBy) ?? swarm.created_at) };
}

/** The leg as it is stored. */
export const sealedLeg = <Row extends Places>(leg: Row) => withPersonal(leg, rounded(leg, LEG_PLACES));

const LEG_PLACES = [...BID_PLACES, 'opening_lat', 'opening_lng'] as const;
type Places = Pick<Omit<NewLeg, 'status'>, (typeof LEG_PLACES)[number]>;

export async function insertSwarm(trx: Trx, swarm: NewSwarm, legs: Omit<NewLeg, 'status'>[]): Promise<void> {
  const rows = legs.map((leg) => ({ ...sealedLeg(leg), status: INITIAL_STATUS.leg }));
  await trx
    .with('swarm', (own) => own.insertInto('swarms').values({ ...swarm, status: INITIAL_STATUS.swarm }))
    .insertInto('legs')
    .values(rows)
    .execute();
}

/**
 * Puts another courier in the place of a vacant leg, whose row has ended: the package counts one formation more. The row is there when
 * the package is written again.
 */
export async function insertReplacement(trx: Trx, packageId: string, leg: Omit<NewLeg, 'status'>): Promise<void> {
  await trx
    .insertInto('legs')
    .values({ ...sealedLeg(leg), status: INITIAL_STATUS.leg })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        ended_at: null,
        stage: eb.ref('excluded.stage'),
        since: eb.ref('excluded.since'),
        since_signature: eb.ref('excluded.since_signature'),
        assign_signature: eb.ref('excluded.assign_signature'),
      })),
    )
    .execute();
  await trx.updateTable('packages').set({ formation: leg.formation }).where('id', '=', packageId).execute();
}

type SwarmCondition<Of> = (eb: ExpressionBuilder<Database, 'swarms'>, of: Of) => Expression<SqlBool>;

/** Every column of a swarm. */
const SWARM_COLUMNS = Object.keys({
  id: true,
  package_id: true,
  status: true,
  formation: true,
  on_chain_swarm: true,
  form_signature: true,
  settle_signature: true,
  total_legs: true,
  total_lamports: true,
  exact: true,
  failure: true,
  created_at: true,
} satisfies Record<keyof SwarmRow, true>) as (keyof SwarmRow)[];

/** A row of legs has their swarm's columns as well, under names that no leg has. */
const nameInRow = (column: keyof SwarmRow) => `swarm ${column}` as const;

/** The swarm of rows that are of one. */
function swarmIn(rows: readonly object[]): SwarmWithLegs | undefined {
  const [first] = rows as Record<string, unknown>[];
  if (first === undefined) return undefined;
  const swarm = Object.fromEntries(SWARM_COLUMNS.map((column) => [column, first[nameInRow(column)]])) as SwarmRow;
  const legs = (rows as (LegRow & Record<string, unknown>)[]).filter(({ id }) => (id as string | null) !== null);
  for (const leg of legs) for (const column of SWARM_COLUMNS) delete leg[nameInRow(column)];
  return { ...swarm, legs };
}

/** How to read the swarm that meets the condition, as no other does, with its legs. */
function onlySwarm<Of extends object>(condition: SwarmCondition<Of>) {
  const read = compiled((db, of: Of) =>
    db
      .selectFrom('swarms')
      .leftJoin('legs', (join) => join.onRef('legs.swarm_id', '=', 'swarms.id').on('legs.ended_at', 'is', null))
      .selectAll('legs')
      .select(SWARM_COLUMNS.map((column) => sql.ref(`swarms.${column}`).as(nameInRow(column))))
      .where((eb) => condition(eb as unknown as ExpressionBuilder<Database, 'swarms'>, of))
      .orderBy('legs.leg_index'),
  );
  return async (db: Db | Trx, of: Of) => swarmIn(await read(db, of));
}

const byId = onlySwarm<{ id: string }>((eb, { id }) => eb('swarms.id', '=', id));

export async function findSwarm(db: Db | Trx, id: string): Promise<SwarmWithLegs | undefined> {
  return byId(db, { id });
}

const newest = onlySwarm<{ packageId: string }>((eb, { packageId }) =>
  eb(
    'swarms.id',
    '=',
    eb
      .selectFrom('swarms as of_package')
      .select('of_package.id')
      .where('of_package.package_id', '=', packageId)
      .orderBy('of_package.id', 'desc')
      .limit(1),
  ),
);

/** The swarm formed last for the package. */
export async function newestSwarm(db: Db | Trx, packageId: string): Promise<SwarmWithLegs | undefined> {
  return newest(db, { packageId });
}

const formed = onlySwarm<{ packageId: string }>((eb, { packageId }) =>
  eb.and([eb('swarms.package_id', '=', packageId), eb('swarms.form_signature', 'is not', null)]),
);

/** The swarm of the package that the ledger has shown as formed: there is one at most. Rule P-23. */
export async function formedSwarm(db: Db | Trx, packageId: string): Promise<SwarmWithLegs | undefined> {
  return formed(db, { packageId });
}

/** The formed swarms of the packages, by the packages' ids. */
export async function formedSwarms(db: Db, packageIds: readonly string[]): Promise<Map<string, SwarmWithLegs>> {
  if (packageIds.length === 0) return new Map();
  const swarms = await db
    .selectFrom('swarms')
    .selectAll()
    .where('package_id', 'in', packageIds)
    .where('form_signature', 'is not', null)
    .execute();
  if (swarms.length === 0) return new Map();
  const ids = swarms.map(({ id }) => id);
  const legs = await db
    .selectFrom('legs')
    .selectAll()
    .where('swarm_id', 'in', ids)
    .where('ended_at', 'is', null)
    .orderBy('leg_index')
    .execute();
  const withTheirs = (swarm: SwarmRow) => ({ ...swarm, legs: legs.filter((leg) => leg.swarm_id === swarm.id) });
  return new Map(swarms.map((swarm) => [swarm.package_id, withTheirs(swarm)]));
}

const standing = onlySwarm<{ account: string }>((eb, { account }) =>
  eb.and([
    eb(
      'swarms.package_id',
      '=',
      eb.selectFrom('packages').select('packages.id').where('packages.on_chain_package', '=', account),
    ),
    eb.or([eb('swarms.status', '=', 'forming'), eb('swarms.form_signature', 'is not', null)]),
  ]),
);

/** The swarm, forming or formed, of the package whose account is at the address: there is one at most. */
export async function standingSwarm(trx: Trx, account: string): Promise<SwarmWithLegs | undefined> {
  return standing(trx, { account });
}

const forming = onlySwarm<{ packageId: string }>((eb, { packageId }) =>
  eb.and([eb('swarms.package_id', '=', packageId), eb('swarms.status', '=', 'forming')]),
);

/** The swarm of the package that is decided and that the ledger has not shown yet. */
export async function formingSwarm(trx: Trx, packageId: string): Promise<SwarmWithLegs | undefined> {
  return forming(trx, { packageId });
}

const ofLeg = onlySwarm<{ legId: string }>((eb, { legId }) =>
  eb('swarms.id', '=', eb.selectFrom('legs as one').select('one.swarm_id').where('one.id', '=', legId)),
);

export async function swarmOfLeg(db: Db | Trx, legId: string): Promise<SwarmWithLegs | undefined> {
  return ofLeg(db, { legId });
}

/** Makes the swarm active and puts its package in transit. @returns false when that was done already */
export async function markFormed(trx: Trx, swarm: SwarmRow, formSignature: string): Promise<boolean> {
  const { package_id: packageId, formation } = swarm;
  const [formed] = await Promise.all([
    transition(trx, 'swarm', swarm.id, 'formation_confirmed', { columns: { form_signature: formSignature } }),
    transition(trx, 'package', packageId, 'formation_confirmed', { columns: { formation } }),
  ]);
  return formed !== undefined;
}

const FIRST_RETRY_SEC = 2;
const LAST_RETRY_SEC = 300;

/** When the bids are evaluated again: after a pause that doubles with each failed formation of the package. */
const afterPause = sql<Date>`now() + make_interval(secs =>
  least(${LAST_RETRY_SEC}::float8, ${FIRST_RETRY_SEC}::float8 * 2 ^ least(failed_formations, 16)))`;

/** Fails the swarm and lists its package again; with `retry` the package is evaluated after a pause. */
export async function markFormationFailed(
  trx: Trx,
  swarm: SwarmRow,
  failure: { reason: string; retry: boolean },
): Promise<void> {
  const columns = { failure: failure.reason };
  if (!(await transition(trx, 'swarm', swarm.id, 'formation_failed', { columns }))) return;
  await transition(trx, 'package', swarm.package_id, 'formation_failed', {
    columns: {
      failed_formations: sql<number>`failed_formations + 1`,
      bids_version: sql<bigint>`bids_version + 1`,
      evaluate_at: failure.retry ? afterPause : null,
    },
  });
}

/** @returns false when the swarm was settled already */
export async function markSettled(trx: Trx, swarmId: string, settleSignature: string): Promise<boolean> {
  const columns = { settle_signature: settleSignature };
  return (await transition(trx, 'swarm', swarmId, 'settled', { columns })) !== undefined;
}

/** Fails the package's swarm, if one is forming or active. */
export async function markSwarmEnded(trx: Trx, packageId: string, reason: FailureReason): Promise<void> {
  await transitionAll(trx, 'swarm', (eb) => eb('package_id', '=', packageId), reason, { failure: reason });
}
