import { RelayError, type operations } from '@agent-relay/protocol';
import { PackageStatus, type RelayInstruction } from '@agent-relay/program-client';
import { readPackageAccount } from '../../chain/accounts.js';
import { decodeWalletTransaction, submitAndConfirm } from '../../chain/submitTransaction.js';
import { unixSeconds } from '../../chain/walletTransactions.js';
import type { AppContext } from '../../context.js';
import { findPackage, isListed, markListed } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import { inTransaction } from '../../db/transaction.js';
import { appendEvent } from '../../events/appendEvent.js';
import type { Run } from '../implement.js';
import { requireLanded } from '../requireLanded.js';
import { viewPackageDetail } from '../views.js';

type Field = 'transaction' | 'signature';

/**
 * Which of the draft's terms a listing of its package departs from, in words; undefined when the instruction does not
 * list this package at all.
 */
function departures(instruction: RelayInstruction, draft: PackageRow): string[] | undefined {
  if (instruction.name !== 'listPackage') return undefined;
  const { accounts, data } = instruction;
  if (accounts.package.address !== draft.on_chain_package) return undefined;
  const terms: [name: string, found: unknown, wanted: unknown][] = [
    ['shipper', accounts.shipper.address, draft.shipper_pubkey],
    ['funder', accounts.funder.address, draft.funder_pubkey],
    ['budget in lamports', data.maxBudget, draft.max_budget_lamports],
    ['deadline in unix seconds', data.deadline, unixSeconds(draft.deadline)],
    ['terms hash', Buffer.from(data.termsHash).toString('hex'), draft.terms_hash],
  ];
  return terms
    .filter(([, found, wanted]) => found !== wanted)
    .map(([name, found, wanted]) => `its ${name} is ${String(found)} instead of ${String(wanted)}`);
}

/** @throws RelayError `wrong_transaction` unless one of the instructions lists the draft with exactly its terms */
function requireListingOf(draft: PackageRow, instructions: readonly RelayInstruction[], field: Field): void {
  const listings = instructions.flatMap((instruction) => {
    const departing = departures(instruction, draft);
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

/**
 * A listing may have been taken back since, in the very transaction that made it even: couriers may rely on an escrow
 * that is there now.
 *
 * @throws RelayError `invalid_status` unless the ledger shows the package as listed
 */
async function requireEscrow({ chain }: AppContext, draft: PackageRow, field: Field): Promise<void> {
  const status = (await readPackageAccount(chain, draft.on_chain_package))?.status;
  if (status === PackageStatus.Listed) return;
  const shown = status === undefined ? 'no such package any more' : `this package as ${PackageStatus[status]}`;
  throw RelayError.field(
    'invalid_status',
    field,
    `listed the package, but the ledger shows ${shown}; build a new listing with POST /packages/build-tx`,
  );
}

async function persistListed(context: AppContext, draft: PackageRow, signature: string): Promise<void> {
  await inTransaction(context.db, async (trx) => {
    if (!(await markListed(trx, draft.id, signature))) return;
    await appendEvent(trx, 'PACKAGE_LISTED', `package:${draft.id}`, {
      packageId: draft.id,
      shipperPubkey: draft.shipper_pubkey,
      origin: { lat: draft.origin_lat, lng: draft.origin_lng },
      destination: { lat: draft.dest_lat, lng: draft.dest_lng },
      maxBudgetLamports: draft.max_budget_lamports,
      deadline: draft.deadline,
      onChainPackage: draft.on_chain_package,
      listSignature: signature,
    });
  });
  context.wake.sequencer();
}

export const submitPackage: Run<typeof operations.submitPackage> = async (context, input) => {
  const draft = await findPackage(context.db, input.packageId);
  if (!draft) {
    throw RelayError.field('not_found', 'packageId', 'no draft has this id; build one with POST /packages/build-tx');
  }
  if (!isListed(draft)) {
    const signature =
      input.transaction === undefined ? input.signature : await sendSigned(context, draft, input.transaction);
    if (signature === undefined) throw new Error('the schema lets one of signature and transaction through');
    const landed = await requireLanded(context.chain, signature, 'POST /packages/build-tx');
    requireListingOf(draft, landed, 'signature');
    await requireEscrow(context, draft, input.transaction === undefined ? 'signature' : 'transaction');
    await persistListed(context, draft, signature);
  }
  const listed = await findPackage(context.db, draft.id);
  if (!listed || !isListed(listed)) throw new Error(`package ${draft.id} was listed and is not`);
  return { answer: await viewPackageDetail(context.db, listed) };
};
