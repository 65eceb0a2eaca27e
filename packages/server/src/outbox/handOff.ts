import type { Trx } from '../db/connect.js';
import { addIntent, type LeasedIntent, type NewIntent } from '../db/outbox.js';
import type { DecisionRow } from '../db/schema.js';
import { afterCommit } from '../db/transaction.js';
import type { Waker } from '../loop.js';

/** How long a worker holds an intent without a sign of life; another one takes it over after that. */
export const LEASE_SEC = 8;

/** The worker that carries intents in this process. */
interface Carrier {
  hasRoom: () => boolean;
  carry: (intent: LeasedIntent) => void;
}

/**
 * The way from a decision to the outbox of this process: an intent that is leased as it is written need not be looked for.
 * While there is no room, nobody leases, and the outbox finds it like any other, in the order of their decision.
 */
export class HandOff {
  readonly #outbox: Waker;
  #carrier: Carrier | undefined;

  constructor(outbox: Waker) {
    this.#outbox = outbox;
  }

  /** From now on intents go to this carrier; undefined: to nobody. */
  to(carrier: Carrier | undefined): void {
    this.#carrier = carrier;
  }

  /**
   * Writes an intent, with the decision that it carries out, if it takes one. The outbox has it once it is committed; without a
   * carrier by then it is left to its lease.
   *
   * @param isNext whether nothing of its subject goes before it: then it is carried at once
   */
  async add(trx: Trx, intent: NewIntent, isNext: boolean, decision?: DecisionRow): Promise<void> {
    const leaseSec = isNext && this.#carrier?.hasRoom() ? LEASE_SEC : undefined;
    const leased = await addIntent(trx, intent, { decision, leaseSec });
    afterCommit(trx, () => (leased ? this.#carrier?.carry(leased) : this.#outbox.wake()));
  }
}
