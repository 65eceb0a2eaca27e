import { findTransactionOf } from '@legwork/program-client/history';
import { address, type Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import { revokeSponsorship } from '../db/sponsorships.js';
import { inTransaction } from '../db/transaction.js';
import { readPackageAccount, readTaskAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { listPackageInstruction } from '../ledger/packageInstructions.js';
import { listTaskInstruction } from '../ledger/taskInstructions.js';
import { packageListingDepartures, recordPackageListed } from '../mirror/package.js';
import { recordTaskListed, taskListingDepartures } from '../mirror/task.js';
import { type IntentHandler, packageOf, taskOf } from './intentHandler.js';

/** A listing that the coordinator pays for. A caller waits for it. */
interface Listing<Draft> {
  draft: (context: AppContext, intent: LeasedIntent) => Promise<Draft>;
  instruction: (ledger: Ledger, draft: Draft) => Instruction;
  /** Returns the transaction that listed it, if the ledger shows one: bytes that looked expired may have landed all the same. */
  find: (ledger: Ledger, draft: Draft) => Promise<string | undefined>;
  record: (trx: Trx, draft: Draft, signature: string) => Promise<boolean>;
}

/** Lists something with the coordinator's money. A listing that is refused leaves nothing behind. Rule M-47. */
function listingIntent<Draft extends { id: string; status: string }>(listing: Listing<Draft>): IntentHandler {
  async function listed(context: AppContext, intent: LeasedIntent, signature: string): Promise<void> {
    const draft = await listing.draft(context, intent);
    await inTransaction(context.db, async (trx) => {
      await listing.record(trx, draft, signature);
      await finishIntent(trx, intent);
    });
  }

  return {
    policy: { tries: 4, surprises: 50 },

    async instructions(context, intent) {
      const draft = await listing.draft(context, intent);
      if (draft.status === 'draft') return [listing.instruction(context.ledger, draft)];
      await inTransaction(context.db, (trx) => finishIntent(trx, intent));
      return undefined;
    },

    landed: listed,

    async refused(context, intent, { reason }) {
      const draft = await listing.draft(context, intent);
      const signature = await listing.find(context.ledger, draft);
      if (signature !== undefined) return listed(context, intent, signature);
      await inTransaction(context.db, async (trx) => {
        await revokeSponsorship(trx, draft.id);
        await finishIntent(trx, intent, reason);
      });
      context.log.warn({ kind: intent.kind, id: draft.id, reason }, 'sponsored listing refused');
    },
  };
}

export const listPackageIntent = listingIntent({
  draft: packageOf,
  instruction: (ledger, draft) =>
    listPackageInstruction(ledger, draft, ledger.coordinator, address(draft.shipper_pubkey)),
  async find(ledger, draft) {
    if ((await readPackageAccount(ledger, draft.on_chain_package)) === undefined) return undefined;
    return findTransactionOf(
      ledger,
      draft.on_chain_package,
      (instruction) => packageListingDepartures(instruction, draft)?.length === 0,
    );
  },
  record: recordPackageListed,
});

export const listTaskIntent = listingIntent({
  draft: taskOf,
  instruction: (ledger, draft) => listTaskInstruction(ledger, draft, ledger.coordinator, address(draft.shipper_pubkey)),
  async find(ledger, draft) {
    if ((await readTaskAccount(ledger, draft.on_chain_task)) === undefined) return undefined;
    return findTransactionOf(
      ledger,
      draft.on_chain_task,
      (instruction) => taskListingDepartures(instruction, draft)?.length === 0,
    );
  },
  record: recordTaskListed,
});
