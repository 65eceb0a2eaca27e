import type { TermsArgs } from '@legwork/program-client';
import { must, type Delivery } from './delivery.js';
import { PAYMENTS } from './moves.js';
import type { Relay } from './relay.js';

/** Statuses of a leg that is not completed. */
export type Stage = 'pending' | 'accepted' | 'carried' | 'claimed' | 'disputed' | 'ruled' | 'vacant';

/** The settings of a stage: whether the second leg is accepted (it is), the payments, the number of the package, and changes to its terms. */
interface Setting {
  readonly next?: boolean;
  readonly payments?: readonly bigint[];
  readonly number?: number;
  readonly changes?: Partial<TermsArgs>;
}

/** A package whose first leg is in this status; a ruled one is ruled with 30 percent. */
export async function staged(relay: Relay, stage: Stage, setting: Setting = {}): Promise<Delivery> {
  const { next = true, payments = PAYMENTS, number = 1, changes = {} } = setting;
  const { moves } = relay;
  const delivery = await moves.pending(await moves.listed(number, changes), payments);
  if (next && payments.length > 1) await moves.accepted([1], delivery);
  if (stage === 'pending') return delivery;
  if (stage === 'accepted') return moves.accepted([0], delivery);
  if (stage !== 'ruled') return moves[stage](delivery);
  await relay.person('arbiter');
  await moves.disputed(delivery);
  must(await relay.ledger.send(await moves.rule(delivery, { percent: 30 })));
  return delivery;
}
