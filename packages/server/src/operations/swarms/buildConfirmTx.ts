import type { operations } from '@legwork/protocol/contract';
import { buildConfirmLeg, recipientsOf } from '../../ledger/packageInstructions.js';
import { requireNotHalted } from '../guards.js';
import { PACKAGE } from '../packages/guards.js';
import type { Run } from '../run.js';
import { requireConfirmable, requireLeg, requireTurn } from './guards.js';

export const buildConfirmTx: Run<typeof operations.buildConfirmTx> = async (context, { legId }) => {
  const found = await requireLeg(context.db, legId);
  await requireNotHalted(context.db, PACKAGE, found.parcel.id, 'legId');
  requireTurn(found);
  const { leg, swarm, parcel } = found;
  const [recipientPubkey] = recipientsOf(swarm, leg, parcel);
  await requireConfirmable(context, found, recipientPubkey);
  return {
    answer: {
      legId,
      legIndex: leg.leg_index,
      isFinal: leg.leg_index === swarm.total_legs - 1,
      recipientPubkey,
      ...(await buildConfirmLeg(context.ledger, found)),
    },
  };
};
