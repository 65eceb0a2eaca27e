import { must, type Delivery } from './delivery.js';
import { PAYMENTS } from './moves.js';
import type { Relay } from './relay.js';

/** Statuses of a leg that is not completed. */
export type Stage = 'pending' | 'accepted' | 'carried' | 'claimed' | 'disputed' | 'ruled' | 'vacant';

/** Whether the second leg is accepted (it is), the payments, and the number of the package. */
interface Setting {
  readonly next?: boolean;
  readonly payments?: readonly bigint[];
  readonly number?: number;
}

/** A package whose first leg is in this status; a ruled one is ruled with 30 percent. */
export async function staged(relay: Relay, stage: Stage, setting: Setting = {}): Promise<Delivery> {
  const { next = true, payments = PAYMENTS, number = 1 } = setting;
  const { moves } = relay;
  await relay.person('arbiter');
  const delivery = await moves.pending(await moves.listed(number), payments);
  if (next && payments.length > 1) await moves.accepted([1], delivery);
  if (stage === 'pending') return delivery;
  if (stage === 'accepted') return moves.accepted([0], delivery);
  if (stage !== 'ruled') return moves[stage](delivery);
  await moves.disputed(delivery);
  must(await relay.ledger.send(await moves.rule(delivery, { percent: 30 })));
  return delivery;
}
