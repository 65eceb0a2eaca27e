import { type LegStage, RelayError } from '@legwork/protocol/contract';
import { address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import { type Ledger, readLedgerTime, unixSeconds } from '../ledger/ledger.js';
import { compileForWallet, type UnsignedTransaction } from '../ledger/compile.js';
import type { DigitalTaskRow, PackageRow } from '../db/schema.js';

/** What a package and a digital task have in common when they end: a status, an escrow, a deadline. */
type Ending = Pick<
  PackageRow | DigitalTaskRow,
  'status' | 'failure_reason' | 'shipper_pubkey' | 'funder_pubkey' | 'deadline'
>;

/** How refusals name one of the two. */
export interface Named {
  /** The field of the request that names it. */
  field: 'packageId' | 'taskId';
  noun: 'package' | 'task';
}

/** Compiles a transaction for the wallet that has to sign it. */
export async function forWallet(
  ledger: Ledger,
  signerPubkey: string,
  instructionFor: (signer: TransactionSigner) => Instruction,
): Promise<UnsignedTransaction & { signerPubkey: string }> {
  const signer = createNoopSigner(address(signerPubkey));
  const unsigned = await compileForWallet(ledger, signer.address, [instructionFor(signer)]);
  return { signerPubkey, ...unsigned };
}

/** `invalid_status`, with what it is and what would be right. */
export function wrongStatus({ field }: Named, message: string): RelayError {
  return RelayError.field('invalid_status', field, message);
}

/** How a finished listing ended, in words. */
export function ended(listing: Pick<Ending, 'status' | 'failure_reason'>): string {
  return listing.failure_reason === null ? listing.status : `${listing.status} (${listing.failure_reason})`;
}

/** Reads the ledger's clock, which decides. Rule P-54. @throws RelayError `invalid_status` */
export async function requireDeadlinePassed(ledger: Ledger, named: Named, { deadline }: Ending): Promise<void> {
  const now = await readLedgerTime(ledger);
  if (unixSeconds(now) >= unixSeconds(deadline)) return;
  throw wrongStatus(
    named,
    `the ${named.noun} can be reclaimed from its deadline on, ${deadline.toISOString()}; ` +
      `by the ledger's clock it is ${now.toISOString()}`,
  );
}

/**
 * The funder closes the account and gets its rent; a poster whose listing was sponsored has none to get back.
 *
 * @throws RelayError `invalid_status`
 */
export function requireOwnFunds(named: Named, listing: Ending): void {
  if (listing.funder_pubkey === listing.shipper_pubkey) return;
  throw wrongStatus(
    named,
    `${listing.funder_pubkey} funded the ${named.noun} and gets the rent of its account; the coordinator closes what it funded by itself`,
  );
}

/** @throws RelayError `invalid_status` once its account on the ledger is closed */
export function requireOpenAccount(named: Named, account: object | undefined): void {
  if (account !== undefined) return;
  throw wrongStatus(named, `the account of the ${named.noun} is closed; its rent went to its funder`);
}

/** Who has claimed a leg is paid or ruled first. Rule T-37. @throws RelayError `invalid_status` */
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
