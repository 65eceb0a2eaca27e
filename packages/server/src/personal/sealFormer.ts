import { type RawBuilder, type Selectable, sql } from 'kysely';
import { sealedBid } from '../bids/bidRows.js';
import type { Db } from '../db/connect.js';
import { sealedChoice } from '../db/decisions.js';
import { sealedTask } from '../tasks/taskRows.js';
import { hasPersonal, sealedPayload } from '../db/events.js';
import { readMeta, setMeta } from '../db/migrate.js';
import { sealedPackage } from '../packages/packageRows.js';
import type {
  BidRow,
  DecisionRow,
  DigitalLegRow,
  DigitalTaskRow,
  EvidenceRow,
  LegRow,
  PackageRow,
  SignedCallsTable,
} from '../db/schema.js';
import { MARK, personal } from '../db/sealing.js';
import { sealedBody } from '../identity/signedCalls.js';
import { sealedLeg } from '../packages/swarmRows.js';

/** When all rows were sealed; empty: there was nothing to seal. */
export const SEALED_AT = 'sealed_at';
const BATCH = 200;

/** How rows of a table are stored, given one as it is read: the columns that may be sealed. */
interface Former<Row> {
  table: string;
  /** Of what is not erased, and not sealed. */
  where: RawBuilder<unknown>;
  columns: (row: Row) => object;
}

const isPlain = (column: string) => sql`left(${sql.ref(column)}, ${sql.lit(MARK.length)}) <> ${sql.lit(MARK)}`;
const ofLiving = sql`exists (select from packages join swarms on swarms.package_id = packages.id
  where swarms.id = swarm_id and erased_at is null)`;
const legOfLiving = sql`exists (select from digital_tasks where digital_tasks.id = task_id and erased_at is null)`;
const subjectOfLiving = sql`not exists (select from packages where erased_at is not null and subject = 'package:' || id)
  and not exists (select from digital_tasks where erased_at is not null and subject = 'task:' || id)`;

const former = <Row>(entry: Former<Row>) => entry as Former<unknown>;

const TABLES = [
  former<PackageRow>({
    table: 'packages',
    where: sql`erased_at is null and ${isPlain('description')}`,
    columns: ({ origin_lat, origin_lng, dest_lat, dest_lng, salt, description }) =>
      sealedPackage({ origin_lat, origin_lng, dest_lat, dest_lng, salt, description }),
  }),
  former<BidRow>({
    table: 'bids',
    where: sql`not is_erased and (personal is null or ${isPlain('personal')})`,
    columns: ({ pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, reasoning }) =>
      sealedBid({ pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, reasoning }),
  }),
  former<LegRow>({
    table: 'legs',
    where: sql`(personal is null or ${isPlain('personal')}) and ${ofLiving}`,
    columns: ({ pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, opening_lat, opening_lng }) =>
      sealedLeg({ pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, opening_lat, opening_lng }),
  }),
  former<EvidenceRow>({
    table: 'evidence',
    where: isPlain('text'),
    columns: ({ text }) => ({ text: personal(text) }),
  }),
  former<DigitalTaskRow>({
    table: 'digital_tasks',
    where: sql`erased_at is null and ${isPlain('description')}`,
    columns: ({ title, description, salt }) => sealedTask({ title, description, salt }),
  }),
  former<DigitalLegRow>({
    table: 'digital_legs',
    where: sql`${isPlain('instruction')} and ${legOfLiving}`,
    columns: ({ instruction, result }) => ({ instruction: personal(instruction), result: personal(result) }),
  }),
  former<{ payload: Record<string, unknown> }>({
    table: 'events',
    where: sql`(personal is null and ${hasPersonal} or ${isPlain('personal')}) and ${subjectOfLiving}`,
    columns: ({ payload }) => sealedPayload(payload),
  }),
  former<DecisionRow>({
    table: 'decisions',
    where: sql`kind = 'form_swarm' and ${isPlain('chosen')} and ${subjectOfLiving}`,
    columns: ({ kind, chosen }) => ({ chosen: sealedChoice({ kind, chosen }) }),
  }),
  former<Selectable<SignedCallsTable>>({
    table: 'signed_calls',
    where: sql`operation = 'submitBid' and body <> '' and ${isPlain('body')}`,
    columns: ({ operation, body }) => ({ body: sealedBody({ operation, body }) }),
  }),
];

/**
 * Seals what a version before, or a service without keys, left as it was; once. It holds no lock: a row that somebody changes
 * meanwhile is found in the next pass. Rule S-148.
 *
 * @returns how many rows; undefined: that was done before
 */
export async function sealFormer(db: Db): Promise<number | undefined> {
  if ((await readMeta(db, SEALED_AT)) !== undefined) return undefined;
  let count = 0;
  for (const entry of TABLES) {
    for (let found = await sealTable(db, entry); found > 0; found = await sealTable(db, entry)) count += found;
  }
  await setMeta(db, SEALED_AT, count > 0 ? new Date().toISOString() : '');
  return count;
}

/** Goes through the rows in the order in which they lie. @returns how many were not sealed */
async function sealTable(db: Db, { table, where, columns }: Former<unknown>): Promise<number> {
  let found = 0;
  for (let after: string | undefined = '(0,0)'; after !== undefined; ) {
    const { rows } = await sql<Record<string, unknown> & { at: string }>`
      select ctid::text as at, * from ${sql.table(table)} where ctid > ${after}::tid and ${where}
      order by ctid limit ${BATCH}`.execute(db);
    for (const row of rows) {
      const changes = Object.entries(columns(row)).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
      // Its place changes with the row.
      await sql`update ${sql.table(table)} set ${sql.join(changes)} where ctid = ${row.at}::tid`.execute(db);
    }
    found += rows.length;
    after = rows.at(-1)?.at;
  }
  return found;
}
