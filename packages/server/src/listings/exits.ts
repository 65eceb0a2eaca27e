import type { Returning } from '@legwork/program-client';
import { type ListingRow, subjectOf } from '../db/listings.js';
import { canTransition, isTerminal, type LegStage, LegworkError } from '@legwork/protocol/contract';
import { address, createNoopSigner, type TransactionSigner } from '@solana/kit';
import { type Ledger, readLedgerTime, unixSeconds } from '../ledger/ledger.js';
import { compileForWallet, type UnsignedTransaction } from '../ledger/compile.js';
import type { AppContext } from '../context.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';
import { newestSlotOf } from '../db/ledgerTransactions.js';
import { requireOwner } from '../ledger/mandates.js';
import { requireNotHalted } from '../operations/guards.js';
import { type Kind, listed, type Named } from './kinds.js';

/** The columns that a package and a digital task share when they end: a status, an escrow, a deadline. */
type Ending = Pick<
  PackageRow | DigitalTaskRow,
  'status' | 'failure_reason' | 'shipper_pubkey' | 'funder_pubkey' | 'deadline'
>;

/** Compiles a transaction for the wallet that has to sign it. @param about the listing, by whose asset it pays */
export async function forWallet(
  ledger: Ledger,
  signerPubkey: string,
  about: { asset: number },
  instructionFor: (signer: TransactionSigner) => Returning,
): Promise<UnsignedTransaction & { signerPubkey: string }> {
  const signer = createNoopSigner(address(signerPubkey));
  const unsigned = await compileForWallet(ledger, signer.address, about, [instructionFor(signer)]);
  return { signerPubkey, ...unsigned };
}

/** `invalid_status`, with what it is and what would be right. */
export function wrongStatus({ field }: Named, message: string): LegworkError {
  return LegworkError.field('invalid_status', field, message);
}

/** How a finished listing ended, in words. */
export function ended(listing: Pick<Ending, 'status' | 'failure_reason'>): string {
  return listing.failure_reason === null ? listing.status : `${listing.status} (${listing.failure_reason})`;
}

/** Reads the ledger's clock, which decides. Rule P-54. @throws LegworkError `invalid_status` */
export async function requireDeadlinePassed(ledger: Ledger, named: Named, { deadline }: Ending): Promise<void> {
  const now = await readLedgerTime(ledger);
  if (unixSeconds(now) >= unixSeconds(deadline)) return;
  throw wrongStatus(
    named,
    `the ${named.noun} can be reclaimed from its deadline on, ${deadline.toISOString()}; ` +
      `by the ledger's clock it is ${now.toISOString()}`,
  );
}

/** The signer of an exit in the lister's place: the owner of the mandate that paid. */
export interface By {
  mandateOwnerPubkey?: string | undefined;
}

/**
 * The signer of an exit: the lister, or the owner of the mandate that paid, as the call says.
 *
 * @throws LegworkError `invalid_input` when that owner's mandate did not pay, or is there no more
 */
export function exitSigner(
  ledger: Ledger,
  listing: Pick<ListingRow, 'shipper_pubkey' | 'funder_pubkey' | 'asset'>,
  { mandateOwnerPubkey }: By,
): Promise<string> {
  if (mandateOwnerPubkey === undefined) return Promise.resolve(listing.shipper_pubkey);
  return requireOwner(ledger, listing, mandateOwnerPubkey);
}

/**
 * The funder closes the account and gets its rent; a poster whose listing was sponsored has none to get back.
 *
 * @throws LegworkError `invalid_status`
 */
function requireOwnFunds(named: Named, listing: Ending): void {
  if (listing.funder_pubkey === listing.shipper_pubkey) return;
  throw wrongStatus(
    named,
    `${listing.funder_pubkey} funded the ${named.noun} and gets the rent of its account: the coordinator closes what it funded by itself, and the owner of a mandate what that paid for (mandateOwnerPubkey)`,
  );
}

/** A claimed leg is paid or ruled before its listing ends. Rule T-37. @throws LegworkError `invalid_status` */
export function requireNoneOwed(
  named: Named,
  legs: readonly { leg_index: number; stage: LegStage | null; until: Date | null }[],
): void {
  const owed = legs.find(({ stage }) => stage === 'claimed' || stage === 'disputed' || stage === 'ruled');
  if (!owed) return;
  throw wrongStatus(
    named,
    `leg ${owed.leg_index} is ${owed.stage}: it is paid or ruled first, and from ${owed.until?.toISOString() ?? 'now'} on anybody ` +
      'can see to that (POST /turns/build-tx, action crank)',
  );
}

type Built = UnsignedTransaction & { signerPubkey: string };

/**
 * The listing that the path names, unless it is halted, and a slot that a node must have reached to show it as it is here.
 *
 * @throws LegworkError `not_found`, `ledger_reverted`
 */
export async function requireExiting<Draft extends ListingRow, Row extends Draft>(
  { db }: Pick<AppContext, 'db'>,
  kind: Kind<Draft, Row>,
  id: string,
): Promise<{ row: Row; since: bigint | undefined }> {
  const row = listed(kind, await kind.find(db, id));
  await requireNotHalted(db, kind, id, kind.field);
  return { row, since: await newestSlotOf(db, subjectOf(row)) };
}

/**
 * Builds the cancellation of what nobody works on, for who posted it or the owner of the mandate that paid. Rule S-24.
 *
 * @throws LegworkError `not_found`, `invalid_status`, `invalid_input`
 */
export async function buildCancellation<Draft extends ListingRow, Row extends Draft>(
  context: AppContext,
  kind: Kind<Draft, Row>,
  id: string,
  by: By,
): Promise<Built> {
  const { ledger } = context;
  const { row, since } = await requireExiting(context, kind, id);
  if (!canTransition(kind.noun, row.status, 'cancelled')) throw cannotCancel(kind, row);
  if (kind.forms && (await kind.shown(ledger, row, since)) === 'Forming') {
    throw wrongStatus(
      kind,
      `the ledger shows a swarm that was begun and not completed, so the ${kind.noun} is reclaimed instead, at once (build-reclaim-tx)`,
    );
  }
  const signerPubkey = await exitSigner(ledger, row, by);
  return forWallet(ledger, signerPubkey, row, (signer) => kind.cancel(ledger, row, signer));
}

function cannotCancel(named: Named & Pick<Kind<never, never>, 'underWay'>, listing: Ending): LegworkError {
  const { noun, underWay } = named;
  if (listing.status !== underWay.status) return paidOut(named, listing, 'cancel');
  return wrongStatus(
    named,
    `the ${noun} is ${underWay.status}: ${underWay.because}, and it can be cancelled only while it is listed; ` +
      `unless it is ${underWay.end}, it can be reclaimed from ${listing.deadline.toISOString()} (build-reclaim-tx)`,
  );
}

/** `invalid_status`: it is over. */
export function paidOut(named: Named, listing: Ending, move: 'cancel' | 'reclaim'): LegworkError {
  return wrongStatus(
    named,
    `the ${named.noun} is ${ended(listing)} and its escrow is paid out; there is nothing to ${move}`,
  );
}

/** Builds the closing of the account of what is over, for its funder. @throws LegworkError `not_found`, `invalid_status`, `invalid_input` */
export async function buildClosing<Draft extends ListingRow, Row extends Draft>(
  context: AppContext,
  kind: Kind<Draft, Row>,
  id: string,
  by: By,
): Promise<Built> {
  const { ledger } = context;
  const { noun, underWay } = kind;
  const { row, since } = await requireExiting(context, kind, id);
  if (!isTerminal(noun, row.status)) {
    throw wrongStatus(
      kind,
      `the ${noun} is ${row.status}; its account can be closed once it is ${underWay.end} or failed`,
    );
  }
  if (by.mandateOwnerPubkey === undefined) requireOwnFunds(kind, row);
  const signerPubkey = await exitSigner(ledger, row, by);
  if ((await kind.shown(ledger, row, since)) === undefined) {
    throw wrongStatus(kind, `the account of the ${noun} is closed; its rent went to its funder`);
  }
  return forWallet(ledger, signerPubkey, row, (signer) => kind.close(ledger, row, signer));
}
