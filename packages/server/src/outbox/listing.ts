import { address, type Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { ListingDraft } from '../coordinator/decisions.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import { revokeSponsorship } from '../money/sponsorshipRows.js';
import { inTransaction } from '../db/transaction.js';
import { readPackageAccount, readTaskAccount } from '../ledger/accounts.js';
import type { Ledger } from '../ledger/ledger.js';
import { listPackageInstruction } from '../ledger/packageInstructions.js';
import { listTaskInstruction } from '../ledger/taskInstructions.js';
import { type IntentHandler, nothingLeft, packageOf, taskOf } from './intentHandler.js';
import { verifyDecision } from './verifyDecision.js';

/** A listing that the coordinator pays for. A caller waits for it. */
interface Listing<Draft> {
  draft: (context: AppContext, intent: LeasedIntent) => Promise<Draft>;
  instruction: (ledger: Ledger, draft: Draft) => Instruction;
  /** Reads who funded what the ledger holds at the draft's address. */
  funder: (ledger: Ledger, draft: Draft) => Promise<string | undefined>;
}

/** Lists something with the coordinator's money. A listing that is refused leaves nothing behind. Rule M-47. */
function listingIntent<Draft extends ListingDraft & { status: string; asset: number }>(
  listing: Listing<Draft>,
): IntentHandler {
  return {
    policy: { tries: 4, surprises: 50 },

    async instructions(context, intent) {
      const draft = await listing.draft(context, intent);
      if (draft.status !== 'draft') return undefined;
      await verifyDecision(context, intent, { draft });
      return { about: draft, instructions: [listing.instruction(context.ledger, draft)] };
    },

    async refused(context, intent, { reason }) {
      const draft = await listing.draft(context, intent);
      if (draft.status !== 'draft') return nothingLeft(context, intent);
      const { ledger, db, log } = context;
      if ((await listing.funder(ledger, draft)) === ledger.coordinator.address) {
        // It landed, and this node does not list it yet: the money is in escrow.
        throw new Error(`the ledger holds the listing of ${draft.id} and does not show how it was made`);
      }
      await inTransaction(db, async (trx) => {
        await revokeSponsorship(trx, draft.id);
        await finishIntent(trx, intent, reason);
      });
      log.warn({ kind: intent.kind, id: draft.id, reason }, 'sponsored listing refused');
    },
  };
}

export const listPackageIntent = listingIntent({
  draft: packageOf,
  instruction: (ledger, draft) =>
    listPackageInstruction(ledger, draft, ledger.coordinator, address(draft.shipper_pubkey)),
  funder: async (ledger, draft) => (await readPackageAccount(ledger, draft.on_chain_package))?.funder,
});

export const listTaskIntent = listingIntent({
  draft: taskOf,
  instruction: (ledger, draft) => listTaskInstruction(ledger, draft, ledger.coordinator, address(draft.shipper_pubkey)),
  funder: async (ledger, draft) => (await readTaskAccount(ledger, draft.on_chain_task))?.funder,
});
