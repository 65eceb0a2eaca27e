import { LegworkError } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { dropEvidence, evidenceOf, insertEvidence, MOST_EVIDENCE, reasonsOf } from './turnRows.js';
import { findBoundLeg, lockListing } from './moveRows.js';
import { isPackage, subjectOf } from '../db/listings.js';
import { inTransaction } from '../db/transaction.js';
import type { AppContext } from '../context.js';
import type { Caller, In, Out } from '../operations/run.js';
import { receiptsFor } from './receipts.js';
import { findOfTerms, legIsOver, type LegOfTerms, partiesOf, requireLegOfTerms } from './turns.js';
import type { Db } from '../db/connect.js';
import type { EvidenceRow } from '../db/schema.js';

/**
 * Stores what a claim, a dispute or an answer to one rests on; of a leg that is over only what was noted as it was handed over: the phone that
 * noted it may have had no network, and the other one may have sent the handoff. Rule T-63.
 */
export async function putEvidence(
  context: AppContext,
  { legId, text }: In<'putEvidence'>,
  { pubkey }: Caller,
): Out<'putEvidence'> {
  const { db } = context;
  const { hex: hash } = resultHash(text);
  // The ledger is asked before anything is locked.
  const isNoted = await wasNoted(context, legId, { by: pubkey, hash });
  await inTransaction(db, async (trx) => {
    const { of, isOver } = await findOfTerms(trx, legId);
    const reasons = await reasonsOf(trx, legId);
    const isArbiter = pubkey === of.listing.terms?.arbiterPubkey;
    const isReason = isArbiter && reasons.includes(hash);
    if (isOver !== undefined && !isNoted && !isReason) throw legIsOver(isOver);
    const hasPart = isReason || isJudge(of, pubkey) || (pubkey !== undefined && partiesOf(of).includes(pubkey));
    if (pubkey === undefined || !hasPart) throw notParty(pubkey);
    const listing = await lockListing(trx, subjectOf(of.listing));
    // Erased data stays erased.
    if (listing?.erased_at) throw legIsOver('it was erased');
    // Of what it has not ruled by, an arbiter keeps the newest.
    if (isArbiter) await dropEvidence(trx, { legId, author: pubkey, kept: [hash, ...reasons] });
    if (await insertEvidence(trx, { leg_id: legId, hash, author_pubkey: pubkey, text })) return;
    throw LegworkError.field(
      'invalid_status',
      'legId',
      `has ${MOST_EVIDENCE} pieces of evidence of ${pubkey}, the most there may be; a claim or a dispute can name any of them`,
    );
  });
  return { answer: { legId, hash } };
}

/** Reports whether the ledger shows that this key noted this in a leg of a package that is over. @throws LegworkError `ledger_unavailable` */
async function wasNoted(
  context: AppContext,
  legId: string,
  { by, hash }: { readonly by: string | undefined; readonly hash: string },
): Promise<boolean> {
  const { of, isOver } = await findOfTerms(context.db, legId);
  const { listing, leg } = of;
  // Read nothing from the ledger for a key without a part in it.
  if (isOver === undefined || by === undefined || !partiesOf(of).includes(by) || !isPackage(listing)) return false;
  const receipts = await receiptsFor(context, listing, { packageId: listing.id });
  return receipts.some(
    ({ legIndex, formation, condition, signed, ...receipt }) =>
      legIndex === leg.leg_index &&
      formation === leg.formation &&
      condition === 'noted' &&
      receipt.hash === hash &&
      signed?.signer === by,
  );
}

/** True if the key is to rule the leg now. */
const isJudge = ({ listing, leg }: LegOfTerms, pubkey: string | undefined) =>
  leg.stage === 'disputed' && pubkey === listing.terms?.arbiterPubkey;

/** Shows the evidence of a leg to its parties; to the arbiter while the leg is disputed; the reason of a ruling to everybody. */
export async function listEvidence(
  { db }: AppContext,
  { legId }: In<'listEvidence'>,
  { pubkey }: Caller,
): Out<'listEvidence'> {
  const reads = await readingOf(db, legId, pubkey);
  const rows = (await evidenceOf(db, legId)).filter(reads);
  return {
    answer: rows.map(({ hash, author_pubkey: authorPubkey, text, created_at: createdAt }) => ({
      hash,
      authorPubkey,
      text,
      createdAt,
    })),
  };
}

/** Which evidence a key reads. Rules T-64, T-113. @throws LegworkError when it is none */
async function readingOf(
  db: Db,
  legId: string,
  pubkey: string | undefined,
): Promise<(row: Pick<EvidenceRow, 'author_pubkey' | 'hash'>) => boolean> {
  const found = await findBoundLeg(db, legId);
  const arbiter = found?.listing.terms?.arbiterPubkey;
  const reasons = await reasonsOf(db, legId);
  const isReason: Awaited<ReturnType<typeof readingOf>> = (row) =>
    row.author_pubkey === arbiter && reasons.includes(row.hash);
  // A worker that lost a task's leg by a ruling has no part in it any more, and perhaps nobody has.
  const isParty = found?.of !== undefined && pubkey !== undefined && partiesOf(found.of).includes(pubkey);
  if (!isParty && reasons.length > 0 && pubkey !== arbiter) return isReason;
  const of = await requireLegOfTerms(db, legId);
  if (isJudge(of, pubkey)) return () => true;
  if (!isParty) throw notParty(pubkey);
  const { listing, leg } = of;
  // An agent that takes a leg after another one does not get that one's work with it; what an arbiter has not ruled by is a draft.
  const isWorker = !isPackage(listing) && pubkey === leg.agent_pubkey;
  const authors = isWorker ? partiesOf(of) : undefined;
  return (row) => isReason(row) || (row.author_pubkey !== arbiter && authors?.includes(row.author_pubkey) !== false);
}

function notParty(pubkey: string | undefined): LegworkError {
  return LegworkError.field(
    'not_your_turn',
    'X-Pubkey',
    `${pubkey ?? 'nobody'} has no part in this leg: its evidence is for its courier, the next one, shipper and receiver, and for the ` +
      'arbiter while it is disputed',
  );
}
