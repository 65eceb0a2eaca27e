import type { operations } from '@legwork/protocol/contract';
import { buildConfirmLeg, recipientOf } from '../../ledger/walletTransactions.js';
import type { Run } from '../run.js';
import { requireLeg, requireTurn } from './findLeg.js';

export const buildConfirmTx: Run<typeof operations.buildConfirmTx> = async (context, { legId }) => {
  const found = await requireLeg(context.db, legId);
  requireTurn(found);
  const { leg, swarm, item } = found;
  return {
    answer: {
      legId,
      legIndex: leg.leg_index,
      isFinal: leg.leg_index === swarm.total_legs - 1,
      recipientPubkey: recipientOf(swarm, leg, item),
      ...(await buildConfirmLeg(context.ledger, item, swarm, leg)),
    },
  };
};
