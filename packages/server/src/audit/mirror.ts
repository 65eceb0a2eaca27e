import { sql } from 'kysely';
import type { EventType } from '@agent-relay/protocol';
import type { Trx } from '../db/connect.js';
import type { PackageRow, ReputationRow } from '../db/schema.js';
import type { SwarmWithLegs } from '../db/swarms.js';

/** Events that say what the ledger shows; those about bids have nothing there to be compared with. */
export const LEDGER_EVENTS = [
  'PACKAGE_LISTED',
  'SWARM_FORMED',
  'BID_RECEIVED',
  'LEG_CONFIRMED',
  'PACKAGE_DELIVERED',
  'PACKAGE_FAILED',
] as const satisfies readonly EventType[];

export interface MirroredEvent {
  /** Null: not numbered yet. */
  seq: bigint | null;
  type: (typeof LEDGER_EVENTS)[number];
  subject: string;
  /** In the wire form. */
  payload: Record<string, unknown>;
}

/** A package that is not a draft, with everything that hangs on it. */
export interface MirroredPackage {
  row: PackageRow;
  /** Oldest first. */
  swarms: SwarmWithLegs[];
  /** In the order of their numbers. */
  events: MirroredEvent[];
}

const ROWS_AT_ONCE = 500;

/** Packages by id, some at a time, so that a large table takes no more memory than a small one. */
async function* packageBatches(trx: Trx): AsyncGenerator<PackageRow[], void> {
  for (let last: string | undefined; ; ) {
    let query = trx.selectFrom('packages').selectAll().where('status', '<>', 'draft').orderBy('id').limit(ROWS_AT_ONCE);
    if (last !== undefined) query = query.where('id', '>', last);
    const rows = await query.execute();
    if (rows.length > 0) yield rows;
    last = rows.at(-1)?.id;
    if (rows.length < ROWS_AT_ONCE || last === undefined) return;
  }
}

/** The swarms of these packages, by package. */
async function swarmsOf(trx: Trx, packages: readonly PackageRow[]): Promise<Map<string, SwarmWithLegs[]>> {
  const ids = packages.map((row) => row.id);
  const swarms = await trx.selectFrom('swarms').selectAll().where('package_id', 'in', ids).orderBy('id').execute();
  const bySwarm = new Map<string, SwarmWithLegs>(swarms.map((swarm) => [swarm.id, { ...swarm, legs: [] }]));
  if (swarms.length > 0) {
    const swarmIds = [...bySwarm.keys()];
    const legs = trx.selectFrom('legs').selectAll().where('swarm_id', 'in', swarmIds).orderBy('leg_index');
    for (const leg of await legs.execute()) bySwarm.get(leg.swarm_id)?.legs.push(leg);
  }
  const byPackage = new Map<string, SwarmWithLegs[]>(ids.map((id) => [id, []]));
  for (const swarm of bySwarm.values()) byPackage.get(swarm.package_id)?.push(swarm);
  return byPackage;
}

/** The events of one subject after the other, in the order of the subjects. There is no index for that: one sort does. */
async function* eventsBySubject(trx: Trx): AsyncGenerator<[MirroredEvent, ...MirroredEvent[]], void> {
  await sql`declare audited_events no scroll cursor for
    select seq, type, subject, payload from events where type in (${sql.join(LEDGER_EVENTS)})
    order by subject collate "C", seq, id`.execute(trx);
  let group: [MirroredEvent, ...MirroredEvent[]] | undefined;
  for (;;) {
    const { rows } = await sql<MirroredEvent>`fetch ${sql.lit(ROWS_AT_ONCE)} from audited_events`.execute(trx);
    for (const event of rows) {
      if (group?.[0].subject === event.subject) {
        group.push(event);
        continue;
      }
      if (group) yield group;
      group = [event];
    }
    if (rows.length < ROWS_AT_ONCE) break;
  }
  if (group) yield group;
}

/**
 * Every package of the mirror with its swarms, legs and events, and, in between, events of packages that it does not have.
 *
 * @param trx - one in which the database stands still
 */
export async function* readMirror(trx: Trx): AsyncGenerator<MirroredPackage | { strayEvents: MirroredEvent[] }, void> {
  const groups = eventsBySubject(trx);
  let group = (await groups.next()).value;
  for await (const batch of packageBatches(trx)) {
    const swarms = await swarmsOf(trx, batch);
    for (const row of batch) {
      const subject = `package:${row.id}`;
      for (; group && group[0].subject < subject; group = (await groups.next()).value) yield { strayEvents: group };
      const events = group?.[0].subject === subject ? group : [];
      if (events === group) group = (await groups.next()).value;
      yield { row, swarms: swarms.get(row.id) ?? [], events };
    }
  }
  for (; group; group = (await groups.next()).value) yield { strayEvents: group };
}

/** Every row of the reputations, by agent. */
export async function* readReputationRows(trx: Trx): AsyncGenerator<ReputationRow, void> {
  for (let last = ''; ; ) {
    const rows = await trx
      .selectFrom('reputations')
      .selectAll()
      .where('agent_pubkey', '>', last)
      .orderBy('agent_pubkey')
      .limit(ROWS_AT_ONCE)
      .execute();
    yield* rows;
    last = rows.at(-1)?.agent_pubkey ?? last;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** How many events there are, how many of them have a number, and how many numbers that is. */
export async function countEventNumbers(trx: Trx): Promise<{ all: bigint; numbered: bigint; distinct: bigint }> {
  return trx
    .selectFrom('events')
    .select(({ fn }) => [
      fn.countAll<bigint>().as('all'),
      fn.count<bigint>('seq').as('numbered'),
      fn.count<bigint>('seq').distinct().as('distinct'),
    ])
    .executeTakeFirstOrThrow();
}

/** The drafts at these addresses. */
export async function draftsAt(trx: Trx, addresses: readonly string[]): Promise<PackageRow[]> {
  const drafts: PackageRow[] = [];
  for (let from = 0; from < addresses.length; from += ROWS_AT_ONCE) {
    const some = addresses.slice(from, from + ROWS_AT_ONCE);
    const query = trx.selectFrom('packages').selectAll().where('status', '=', 'draft');
    drafts.push(...(await query.where('on_chain_package', 'in', some).execute()));
  }
  return drafts;
}
