import type { Trx } from '../db/connect.js';
import type { LeasedIntent } from '../db/outbox.js';
import { afterCommit } from '../db/transaction.js';

/** How long a worker holds an intent without a sign of life; another one takes it over after that. */
export const LEASE_SEC = 8;

/** Who carries intents in this process. */
interface Carrier {
  hasRoom: () => boolean;
  carry: (intent: LeasedIntent) => void;
}

/**
 * The short way from a decision to the outbox of this process: an intent that is leased as it is written need not be looked
 * for. While there is no room, nobody leases, and the outbox finds it like any other, in the order of their decision.
 */
export class HandOff {
  #carrier: Carrier | undefined;

  /** From now on intents go to this carrier; undefined: to nobody. */
  to(carrier: Carrier | undefined): void {
    this.#carrier = carrier;
  }

  /** For how long to lease what is decided now; undefined: not at all. */
  get leaseSec(): number | undefined {
    return this.#carrier?.hasRoom() ? LEASE_SEC : undefined;
  }

  /** Gives an intent away once its decision is committed. Without a carrier by then it is left to its lease. */
  give(trx: Trx, intent: LeasedIntent): void {
    afterCommit(trx, () => this.#carrier?.carry(intent));
  }
}
