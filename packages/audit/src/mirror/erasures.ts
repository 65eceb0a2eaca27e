import { isOver, type LedgerFacts, type ListingFacts } from '@legwork/program-client/facts';
import { proveCall, type SignedCall } from '@legwork/protocol/contract';
import { provesErasure } from '@legwork/protocol/rules';
import type { DigitalTaskRow, PackageRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import { rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import { type Findings, subjectOf } from '../findings.js';

const DAY_MS = 86_400_000;

/** A row that says that it was erased, with the call that asked for it; null: its time had come. */
type Erased<Row> = Row & { erased_at: Date; call: SignedCall | null };

/** The grounds that make an erasure right. */
interface Grounds {
  /** Days after its end that a listing is kept; 0: until its lister asks. */
  days: number;
  /** Milliseconds since 1970. */
  nowMs: number;
}

/**
 * Requires of every row that was erased that its lister signed for it, or that it ended so long ago on the ledger, and that nothing but the
 * marks of an erasure is in it: else somebody hides a change behind it. Rule S-147.
 */
export async function compareErasures(
  trx: Trx,
  facts: LedgerFacts,
  grounds: Grounds,
  findings: Findings,
): Promise<void> {
  for await (const row of erasedPackages(trx)) {
    compareErasure(
      row,
      { listing: facts.packages.get(row.on_chain_package), facts, grounds },
      packageMark(row),
      findings,
    );
  }
  for await (const row of erasedTasks(trx)) {
    compareErasure(
      row,
      { listing: facts.tasks.get(row.on_chain_task), facts, grounds },
      await taskMark(trx, row),
      findings,
    );
  }
}

const CALL = sql<SignedCall | null>`(select to_jsonb(signed_calls) from signed_calls where signature = erase_call)`.as(
  'call',
);

async function* erasedPackages(trx: Trx): AsyncGenerator<Erased<PackageRow>, void> {
  const batches = rowBatches<Erased<PackageRow>>((after) => {
    const rows = trx.selectFrom('packages').selectAll().select(CALL).where('erased_at', 'is not', null);
    const page = rows.$narrowType<{ erased_at: Date }>().orderBy('id').limit(ROWS_AT_ONCE);
    return (after ? page.where('id', '>', after.id) : page).execute();
  });
  for await (const rows of batches) yield* rows;
}

async function* erasedTasks(trx: Trx): AsyncGenerator<Erased<DigitalTaskRow>, void> {
  const batches = rowBatches<Erased<DigitalTaskRow>>((after) => {
    const rows = trx.selectFrom('digital_tasks').selectAll().select(CALL).where('erased_at', 'is not', null);
    const page = rows.$narrowType<{ erased_at: Date }>().orderBy('id').limit(ROWS_AT_ONCE);
    return (after ? page.where('id', '>', after.id) : page).execute();
  });
  for await (const rows of batches) yield* rows;
}

/** The mark in place of personal text. */
const MARK = 'erased';

function packageMark(row: PackageRow): boolean {
  const places = [row.origin_lat, row.origin_lng, row.dest_lat, row.dest_lng];
  const isPlain = row.description === MARK && row.salt === null && row.private_hashes === null;
  return isPlain && places.every(Number.isInteger);
}

async function taskMark(trx: Trx, row: DigitalTaskRow): Promise<boolean> {
  const legs = await trx
    .selectFrom('digital_legs')
    .select(['instruction', 'result'])
    .where('task_id', '=', row.id)
    .execute();
  const isPlain = row.title === MARK && row.description === MARK && row.salt === null;
  return isPlain && legs.every(({ instruction, result }) => instruction === MARK && result === null);
}

interface Beside {
  listing: ListingFacts | undefined;
  facts: LedgerFacts;
  grounds: Grounds;
}

function compareErasure(
  row: Erased<Pick<PackageRow, 'id' | 'shipper_pubkey'>>,
  { listing, facts, grounds }: Beside,
  isMarked: boolean,
  findings: Findings,
): void {
  // A row that no transaction lists is told elsewhere.
  if (listing === undefined) return;
  const subject = subjectOf(listing);
  if (!isMarked) findings.differ(subject, 'says that it was erased, and holds something else than the marks of that');
  if (!isOver(listing)) findings.differ(subject, 'was erased before it ended on the ledger');
  else if (row.call !== null) {
    const call = proveCall(row.call);
    const isAsked = call !== undefined && provesErasure(call, { id: row.id, listerPubkey: listing.poster });
    if (!isAsked) findings.differ(subject, 'was erased by a call that its lister did not sign for it');
  } else if (!hasHadItsTime(row.erased_at, facts.transactions.get(listing.statusSignature)?.at ?? null, grounds)) {
    findings.differ(
      subject,
      `was erased sooner than ${grounds.days} days after its end, and its lister did not ask for it`,
    );
  }
}

/** Reports whether so many days had passed since it ended. @param endedAt unix seconds; null: the node does not say */
function hasHadItsTime(erasedAt: Date, endedAt: bigint | null, { days, nowMs }: Grounds): boolean {
  if (days === 0) return false;
  return endedAt === null || Number(endedAt) * 1000 + days * DAY_MS <= Math.min(erasedAt.getTime(), nowMs);
}
