import { RelayError } from '@legwork/protocol/contract';
import { keyMoves, paysEarly } from '@legwork/protocol/rules';
import type { AppContext } from '../../context.js';
import type { Db, Trx } from '../../db/connect.js';
import { clockedListing } from '../../db/legMoves.js';
import { packageOfLeg } from '../../db/packages.js';
import { swarmOfLeg } from '../../db/swarms.js';
import { inOrder } from '../../db/transaction.js';
import { readLedgerTime } from '../../ledger/ledger.js';
import type { LegInSwarm } from '../../mirror/package.js';

/** @throws RelayError `not_found` */
export async function requireLeg(db: Db | Trx, legId: string): Promise<LegInSwarm> {
  const [swarm, parcel] = await inOrder(db, (on) => Promise.all([swarmOfLeg(on, legId), packageOfLeg(on, legId)]));
  const leg = swarm?.legs.find((candidate) => candidate.id === legId);
  if (!swarm || !leg || !parcel) {
    throw RelayError.field('not_found', 'legId', 'no leg has this id, or another courier took its place');
  }
  return { leg, swarm, parcel };
}

/**
 * Refuses a leg whose turn it is not: the swarm must be active, and every earlier leg completed.
 *
 * @throws RelayError `invalid_status`, `leg_out_of_order`
 */
export function requireTurn({ leg, swarm }: LegInSwarm): void {
  if (swarm.status !== 'active') {
    throw RelayError.field(
      'invalid_status',
      'legId',
      `the swarm of this leg is ${swarm.status}; a leg can be confirmed while its swarm is active`,
    );
  }
  const turn = swarm.legs.find((candidate) => candidate.status === 'pending');
  if (turn?.id !== leg.id) {
    const next = turn ? `leg ${turn.leg_index} (${turn.id}) is next` : 'every leg is completed';
    throw RelayError.field(
      'leg_out_of_order',
      'legId',
      `legs are confirmed in order and this is leg ${leg.leg_index}; ${next}`,
    );
  }
}

/**
 * Refuses to build what the program would refuse: with terms, a leg is confirmed once it is carried, and the next courier has accepted.
 * What would pay before anybody has the parcel is built elsewhere, for who says so. Rule T-97.
 *
 * @throws RelayError `invalid_status`
 */
export async function requireConfirmable(
  { ledger }: AppContext,
  { leg, swarm, parcel }: LegInSwarm,
  recipient: string,
): Promise<void> {
  if (parcel.terms === null) return;
  const now = await readLedgerTime(ledger);
  const { actions } = keyMoves(clockedListing(parcel, swarm.legs), leg.leg_index, recipient, now.getTime());
  if (!actions.includes('confirm')) {
    throw RelayError.field(
      'invalid_status',
      'legId',
      `is ${leg.stage} by the terms of its package, and ${recipient} cannot confirm it now; GET /turns?pubkey=${recipient} says what it can do`,
    );
  }
  if (leg.stage !== null && paysEarly('confirm', leg.stage)) {
    throw RelayError.field(
      'invalid_status',
      'legId',
      `is of a parcel that nobody has picked up, and confirming pays ${leg.agent_pubkey} at once. Wait until the parcel is there; if you mean it, build it with POST /turns/build-tx and evenBeforePickup: true`,
    );
  }
}
