import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { LeasedIntent } from '../db/outbox.js';
import { catchUp } from '../mirror/applyLanded.js';
import { type IntentHandler, tryAgain, UNTIL_DONE } from './intentHandler.js';

/** What ends a listing on the ledger, or a part of its life: a settlement, or a way out of escrow. */
interface Ending<T> {
  subject: (context: AppContext, intent: LeasedIntent) => Promise<T>;
  /** The account of the listing on the ledger. */
  account: (subject: T) => string;
  /** Whether the mirror shows that it was done, no matter by whom, or that it never will be. */
  isOver: (subject: T) => boolean;
  /** Returns undefined when the ledger does not show what it takes. */
  instruction: (context: AppContext, subject: T) => Promise<Instruction | undefined>;
}

/**
 * Asks the ledger until it is done. Only the mirror says that there is nothing left to do: a node may lag, or show accounts as
 * they were before something that the ledger forgot and will show again. Rule S-113.
 */
export function endingIntent<T>({ subject, account, isOver, instruction }: Ending<T>): IntentHandler {
  return {
    policy: UNTIL_DONE,

    async instructions(context, intent) {
      const listing = await subject(context, intent);
      if (isOver(listing)) return undefined;
      const next = await instruction(context, listing);
      if (next !== undefined) return [next];
      await catchUp(context, account(listing));
      if (isOver(await subject(context, intent))) return undefined;
      throw new Error(`the ledger shows neither what intent ${intent.id} (${intent.kind}) ends nor its end`);
    },

    refused: tryAgain,
  };
}
