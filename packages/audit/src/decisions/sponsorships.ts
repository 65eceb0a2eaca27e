import type { LedgerFacts, ListingFacts } from '@legwork/program-client/facts';
import type { SponsorshipRow } from '@legwork/server/schema';
import { readFor, type Trx } from '../database.js';
import { by, type Findings, subjectOf } from '../findings.js';

/**
 * Compares what the service knows to have advanced with what the ledger shows paid by a coordinator, for the packages and
 * digital tasks posted through the service. Without the row its money would never be asked back.
 *
 * @returns how many listings a coordinator paid for
 */
export async function compareSponsorships(trx: Trx, facts: LedgerFacts, findings: Findings): Promise<number> {
  const listings = new Map(
    [...facts.packages.values(), ...facts.tasks.values()].map((listing) => [listing.id, listing]),
  );
  const rows = await trx.selectFrom('sponsorships').selectAll().execute();
  for (const row of rows) compareRow(row, listings.get(row.subject_id), facts, findings);
  const counted = new Set(rows.map((row) => row.subject_id));
  const paid = [...listings.values()].filter(({ funder }) => facts.coordinators.has(funder));
  const uncounted = paid.filter(({ id, closeSignature }) => closeSignature === null && !counted.has(id));
  for (const id of await postedHere(trx, uncounted)) {
    const listing = listings.get(id);
    if (listing)
      findings.differ(
        subjectOf(listing),
        `what the coordinator advanced is counted nowhere${by(listing.listSignature)}`,
      );
  }
  return paid.length;
}

function compareRow(
  row: SponsorshipRow,
  listing: ListingFacts | undefined,
  { coordinators }: LedgerFacts,
  findings: Findings,
): void {
  // It may be about to be listed.
  if (listing === undefined) return;
  const subject = subjectOf(listing);
  const { listSignature, closeSignature } = listing;
  if (!coordinators.has(listing.funder)) {
    findings.differ(subject, `is counted as advanced, and ${listing.funder} paid for it${by(listSignature)}`);
  }
  findings.same(subject, 'poster of what was advanced', row.poster_pubkey, listing.poster, listSignature);
  findings.same(subject, 'advance is back', String(row.is_returned), String(closeSignature !== null), closeSignature);
  if (row.lamports < listing.budgetLamports) {
    findings.differ(
      subject,
      `${row.lamports} lamports are counted as advanced, less than its budget${by(listSignature)}`,
    );
  }
}

/** Those of the listings that have a row here. */
async function postedHere(trx: Trx, listings: readonly ListingFacts[]): Promise<string[]> {
  const ids = listings.map(({ id }) => id);
  const read = async (some: readonly string[]) => [
    ...(await trx.selectFrom('packages').select('id').where('id', 'in', some).execute()),
    ...(await trx.selectFrom('digital_tasks').select('id').where('id', 'in', some).execute()),
  ];
  return (await readFor(ids, read)).map(({ id }) => id);
}
