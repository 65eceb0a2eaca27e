import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import { revokeSponsorship } from '../db/sponsorships.js';
import { inTransaction } from '../db/transaction.js';
import type { Ledger } from '../ledger/ledger.js';
import type { IntentHandler } from './intentHandler.js';

/** A listing that the coordinator pays for. */
interface Listing<Draft> {
  draft: (context: AppContext, intent: LeasedIntent) => Promise<Draft>;
  instruction: (ledger: Ledger, draft: Draft) => Instruction;
  /** The transaction that listed it, when the ledger shows it listed: bytes that looked expired may have landed all the same. */
  find: (ledger: Ledger, draft: Draft) => Promise<string | undefined>;
  record: (trx: Trx, draft: Draft, signature: string) => Promise<boolean>;
}

/** Lists something with the coordinator's money; a listing that is refused leaves nothing behind. Rule M-47. */
export function listingIntent<Draft extends { id: string; status: string }>(listing: Listing<Draft>): IntentHandler {
  async function listed(context: AppContext, intent: LeasedIntent, signature: string): Promise<void> {
    const draft = await listing.draft(context, intent);
    await inTransaction(context.db, async (trx) => {
      await listing.record(trx, draft, signature);
      await finishIntent(trx, intent);
    });
  }

  return {
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
