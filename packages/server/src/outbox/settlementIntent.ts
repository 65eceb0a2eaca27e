import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import { inTransaction } from '../db/transaction.js';
import type { Ledger } from '../ledger/ledger.js';
import type { IntentHandler } from './intentHandler.js';

/** A settlement: whatever the escrow still holds returns to the funder. */
interface Settlement<T> {
  subject: (context: AppContext, intent: LeasedIntent) => Promise<T>;
  /** Undefined: the ledger does not show it as one that can be settled, so that it is settled already. */
  instruction: (context: AppContext, subject: T) => Promise<Instruction | undefined>;
  /** The settlement that the ledger shows, whoever sent it: the funder may settle too. */
  find: (ledger: Ledger, subject: T) => Promise<string | undefined>;
  record: (trx: Trx, subject: T, signature: string) => Promise<unknown>;
  /** The ledger said no, and shows no settlement. */
  refused: IntentHandler['refused'];
}

/** Settles what is completed, or finds out who did. */
export function settlementIntent<T>({ subject, instruction, find, record, refused }: Settlement<T>): IntentHandler {
  async function deliver(context: AppContext, intent: LeasedIntent, settled: T, signature: string): Promise<void> {
    await inTransaction(context.db, async (trx) => {
      await record(trx, settled, signature);
      await finishIntent(trx, intent);
    });
  }

  return {
    async instructions(context, intent) {
      const completed = await subject(context, intent);
      const settle = await instruction(context, completed);
      if (settle !== undefined) return [settle];
      const signature = await find(context.ledger, completed);
      if (signature === undefined) {
        throw new Error(`the ledger shows neither what intent ${intent.id} settles nor its settlement`);
      }
      await deliver(context, intent, completed, signature);
      return undefined;
    },

    async landed(context, intent, signature) {
      await deliver(context, intent, await subject(context, intent), signature);
    },

    async refused(context, intent, failure) {
      const completed = await subject(context, intent);
      const signature = await find(context.ledger, completed);
      if (signature !== undefined) return deliver(context, intent, completed, signature);
      return refused(context, intent, failure);
    },
  };
}
