import type { Instruction } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { findDigitalLeg } from '../db/digitalLegs.js';
import { findTask } from '../db/digitalTasks.js';
import { claimOf, finishIntent, type LeasedIntent } from '../db/outbox.js';
import { mirrorReputations } from '../db/reputations.js';
import type { DigitalLegRow, DigitalTaskRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import type { Ledger } from '../ledger/ledger.js';
import { readReputations } from '../ledger/reputationReadings.js';
import type { HeldLeg } from '../ledger/taskInstructions.js';
import type { TransactionFailure } from '../ledger/transactionFailure.js';
import type { IntentHandler } from './intentHandler.js';

/** A claim that an agent has, with its task. */
export interface HeldClaim {
  task: DigitalTaskRow;
  leg: HeldLeg;
}

/** What is done on the ledger about a claim. */
interface Deed {
  /** The status of a leg for which it is still to be done. */
  due: DigitalLegRow['status'];
  /**
   * Undefined: it is not to be done any more, and the intent has been ended.
   *
   * @throws Error when the ledger does not show what it takes: whoever asks comes back
   */
  instruction: (context: AppContext, claim: HeldClaim, intent: LeasedIntent) => Promise<Instruction | undefined>;
  /** The transaction that did it, when the ledger shows it done: bytes that looked expired may have landed all the same. */
  find: (ledger: Ledger, claim: HeldClaim, failure: TransactionFailure) => Promise<string | undefined>;
  record: (trx: Trx, leg: HeldLeg, confirmed: { signature: string }) => Promise<boolean>;
  /** The ledger said no, and does not show it done. */
  refused: (context: AppContext, intent: LeasedIntent, claim: HeldClaim, failure: TransactionFailure) => Promise<void>;
}

/** What the intent was decided about; undefined: the claim is void, its task is over, or it was done already. */
async function heldClaim(
  { db }: AppContext,
  intent: LeasedIntent,
  due: DigitalLegRow['status'],
): Promise<HeldClaim | undefined> {
  const { legId, claim } = claimOf(intent);
  const leg = await findDigitalLeg(db, legId);
  const task = leg && (await findTask(db, leg.task_id));
  if (!task) throw new Error(`intent ${intent.id} names a digital leg that does not exist`);
  const { agent_pubkey: agent } = leg;
  if (agent === null || leg.claim !== claim || leg.status !== due) return undefined;
  return { task, leg: { ...leg, agent_pubkey: agent } };
}

/** Does something about a claim as long as that stands; what is void ends quietly. */
export function legIntent({ due, instruction, find, record, refused }: Deed): IntentHandler {
  async function nothingLeft({ db }: AppContext, intent: LeasedIntent): Promise<void> {
    await inTransaction(db, (trx) =>
      finishIntent(trx, intent, 'the claim is void, or the ledger has shown this already'),
    );
  }

  async function landed(context: AppContext, intent: LeasedIntent, signature: string): Promise<void> {
    const claim = await heldClaim(context, intent, due);
    if (!claim) return nothingLeft(context, intent);
    const readings = await readReputations(context.ledger, [claim.leg.agent_pubkey]);
    await inTransaction(context.db, async (trx) => {
      await record(trx, claim.leg, { signature });
      await mirrorReputations(trx, readings);
      await finishIntent(trx, intent);
    });
  }

  return {
    async instructions(context, intent) {
      const claim = await heldClaim(context, intent, due);
      if (claim) {
        const next = await instruction(context, claim, intent);
        return next && [next];
      }
      await nothingLeft(context, intent);
      return undefined;
    },

    landed,

    async refused(context, intent, failure) {
      const claim = await heldClaim(context, intent, due);
      if (!claim) return nothingLeft(context, intent);
      const signature = await find(context.ledger, claim, failure);
      if (signature !== undefined) return landed(context, intent, signature);
      return refused(context, intent, claim, failure);
    },
  };
}
