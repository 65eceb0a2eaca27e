import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import { inTransaction } from '../db/transaction.js';
import type { IntentHandler } from './intentHandler.js';
import { tryAgain } from './tryAgain.js';

/** A way out for money that the coordinator advanced for something it funded. */
interface Exit<T> {
  /** What it funded. */
  subject: (context: AppContext, intent: LeasedIntent) => Promise<T>;
  /** Undefined: it is certain that this way was taken or will never be open. */
  instruction: (context: AppContext, subject: T) => Promise<Instruction | undefined>;
  record: (trx: Trx, subject: T, signature: string) => Promise<boolean>;
}

/** Asks the ledger until the way is open. What others did is mirrored by the watcher. */
export function exitIntent<T>({ subject, instruction, record }: Exit<T>): IntentHandler {
  return {
    async instructions(context, intent) {
      const next = await instruction(context, await subject(context, intent));
      if (next !== undefined) return [next];
      await inTransaction(context.db, (trx) => finishIntent(trx, intent, 'the ledger shows that it is not needed'));
      return undefined;
    },

    async landed(context, intent, signature) {
      const left = await subject(context, intent);
      await inTransaction(context.db, async (trx) => {
        await record(trx, left, signature);
        await finishIntent(trx, intent);
      });
    },

    refused: tryAgain,
  };
}
