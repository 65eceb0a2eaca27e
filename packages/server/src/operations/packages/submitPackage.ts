import { RelayError, type operations } from '@agent-relay/protocol';
import { PackageStatus, type RelayInstruction } from '@agent-relay/program-client';
import { readPackageAccount } from '../../chain/accounts.js';
import { listingDepartures, recordListed } from '../../chain/projections/packageListed.js';
import { decodeWalletTransaction, submitAndConfirm } from '../../chain/submitTransaction.js';
import type { AppContext } from '../../context.js';
import { findPackage, isListed } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../implement.js';
import { requireLanded } from '../requireLanded.js';
import { viewPackageDetail } from '../views.js';

type Field = 'transaction' | 'signature';

/** @throws RelayError `wrong_transaction` unless one of the instructions lists the draft with exactly its terms */
function requireListingOf(draft: PackageRow, instructions: readonly RelayInstruction[], field: Field): void {
  const listings = instructions.flatMap((instruction) => {
    const departing = listingDepartures(instruction, draft);
    return departing ? [departing] : [];
  });
  if (listings.some((departing) => departing.length === 0)) return;
  const wrong = listings[0]?.join(', ') ?? 'it does not list this package';
  throw RelayError.field(
    'wrong_transaction',
    field,
    `is not the listing of this draft: ${wrong}; give the transaction that build-tx answered, signed and otherwise unchanged`,
  );
}

/** Sends the transaction that the caller signed, after checking that it is the draft's. Answers its signature. */
async function sendSigned(context: AppContext, draft: PackageRow, wire: string): Promise<string> {
  const transaction = decodeWalletTransaction(context.chain, wire);
  requireListingOf(draft, transaction.instructions, 'transaction');
  return submitAndConfirm(context.chain, transaction);
}

const notAnyMore = (field: Field, shown: string) =>
  RelayError.field(
    'invalid_status',
    field,
    `listed the package, but the ledger shows ${shown}; build a new listing with POST /packages/build-tx`,
  );

/**
 * A listing may have been taken back since, in the very transaction that made it even: couriers may rely on an escrow
 * that is there now.
 *
 * @throws RelayError `invalid_status` unless the ledger shows the package as listed, or the mirror is further already
 */
async function requireEscrow({ chain, db }: AppContext, draft: PackageRow, field: Field): Promise<void> {
  const status = (await readPackageAccount(chain, draft.on_chain_package))?.status;
  if (status === PackageStatus.Listed) return;
  const row = await findPackage(db, draft.id);
  if (row && isListed(row)) return;
  throw notAnyMore(
    field,
    status === undefined ? 'no such package any more' : `this package as ${PackageStatus[status]}`,
  );
}

async function persistListed(context: AppContext, draft: PackageRow, signature: string): Promise<void> {
  await inTransaction(context.db, (trx) => recordListed(trx, draft, signature));
  context.wake.sequencer();
}

export const submitPackage: Run<typeof operations.submitPackage> = async (context, input) => {
  const draft = await findPackage(context.db, input.packageId);
  if (!draft) {
    throw RelayError.field('not_found', 'packageId', 'no draft has this id; build one with POST /packages/build-tx');
  }
  const field: Field = input.transaction === undefined ? 'signature' : 'transaction';
  if (!isListed(draft)) {
    const signature =
      input.transaction === undefined ? input.signature : await sendSigned(context, draft, input.transaction);
    if (signature === undefined) throw new Error('the schema lets one of signature and transaction through');
    const landed = await requireLanded(context.chain, signature, 'POST /packages/build-tx');
    requireListingOf(draft, landed, 'signature');
    await requireEscrow(context, draft, field);
    await persistListed(context, draft, signature);
  }
  const listed = await findPackage(context.db, draft.id);
  if (!listed || !isListed(listed)) throw new Error(`package ${draft.id} was listed and is not`);
  if (listed.failure_reason === 'cancelled')
    throw notAnyMore(field, `this package as ${PackageStatus[PackageStatus.Cancelled]}`);
  return { answer: await viewPackageDetail(context, listed) };
};
