import { LegworkError } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { evidenceOf, insertEvidence, MOST_EVIDENCE, standingRuling } from './turnRows.js';
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
    if (isOver !== undefined && !isNoted) throw legIsOver(isOver);
    if (pubkey === undefined || !(isJudge(of, pubkey) || partiesOf(of).includes(pubkey))) throw notParty(pubkey);
    const listing = await lockListing(trx, subjectOf(of.listing));
    // What was erased stays so.
    if (listing?.erased_at) throw legIsOver('it was erased');
    if (await insertEvidence(trx, { leg_id: legId, hash, author_pubkey: pubkey, text })) return;
    throw LegworkError.field(
      'invalid_status',
      'legId',
      `has ${MOST_EVIDENCE} pieces of evidence of ${pubkey}, the most there may be; a claim or a dispute can name any of them`,
    );
  });
  return { answer: { legId, hash } };
}

/** Whether the ledger has it of a package's leg that is over that this key noted this of it. @throws LegworkError `ledger_unavailable` */
async function wasNoted(
  context: AppContext,
  legId: string,
  { by, hash }: { readonly by: string | undefined; readonly hash: string },
): Promise<boolean> {
  const { of, isOver } = await findOfTerms(context.db, legId);
  const { listing, leg } = of;
  // Who has no part in it has nothing read from the ledger.
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

/** Whether the key is to rule the leg now. */
const isJudge = ({ listing, leg }: LegOfTerms, pubkey: string | undefined) =>
  leg.stage === 'disputed' && pubkey === listing.terms?.arbiterPubkey;

/** The reasons that an arbiter gave for its ruling, once it has ruled; before, they are drafts. Rule T-113. */
async function reasonsIn(db: Db, legId: string, rows: readonly EvidenceRow[]): Promise<EvidenceRow[]> {
  const arbiter = (await findBoundLeg(db, legId))?.listing.terms?.arbiterPubkey;
  const given = rows.filter((row) => row.author_pubkey === arbiter);
  const isRuled = given.length > 0 && (await standingRuling(db, legId))?.by_whom === 'arbiter';
  return isRuled ? given : [];
}

/** Shows the evidence of a leg to its parties; to the arbiter while the leg is disputed; the reason of a ruling to everybody. */
export async function listEvidence(
  { db }: AppContext,
  { legId }: In<'listEvidence'>,
  { pubkey }: Caller,
): Out<'listEvidence'> {
  const all = await evidenceOf(db, legId);
  const reasons = await reasonsIn(db, legId, all);
  const rows = all.filter(await reading(db, legId, pubkey, reasons));
  return {
    answer: rows.map(({ hash, author_pubkey: authorPubkey, text, created_at: createdAt }) => ({
      hash,
      authorPubkey,
      text,
      createdAt,
    })),
  };
}

/** Which evidence a key reads. @throws LegworkError when it is none */
async function reading(
  db: Db,
  legId: string,
  pubkey: string | undefined,
  reasons: readonly EvidenceRow[],
): Promise<(row: EvidenceRow) => boolean> {
  const isReason = (row: EvidenceRow) => reasons.includes(row);
  // Who lost a task's leg by a ruling has no part in it any more, and perhaps nobody has.
  const of = await requireLegOfTerms(db, legId).catch((error: unknown) => {
    if (reasons.length > 0) return undefined;
    throw error;
  });
  if (of !== undefined && isJudge(of, pubkey)) return () => true;
  if (of === undefined || pubkey === undefined || !partiesOf(of).includes(pubkey)) {
    if (reasons.length > 0) return isReason;
    throw notParty(pubkey);
  }
  const { listing, leg } = of;
  // An agent that takes a leg after another one does not get that one's work with it.
  const isWorker = !isPackage(listing) && pubkey === leg.agent_pubkey;
  const authors = isWorker ? partiesOf(of) : undefined;
  const isDraft = (row: EvidenceRow) => row.author_pubkey === listing.terms?.arbiterPubkey;
  return (row) => isReason(row) || (!isDraft(row) && authors?.includes(row.author_pubkey) !== false);
}

function notParty(pubkey: string | undefined): LegworkError {
  return LegworkError.field(
    'not_your_turn',
    'X-Pubkey',
    `${pubkey ?? 'nobody'} has no part in this leg: its evidence is for its courier, the next one, shipper and receiver, and for the ` +
      'arbiter while it is disputed',
  );
}
