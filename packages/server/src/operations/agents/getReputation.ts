import { reputationAddress } from '@legwork/program-client';
import type { operations } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import { findReputation } from '../../db/reputations.js';
import type { Run } from '../run.js';
import { viewReputation } from './view.js';

export const getReputation: Run<typeof operations.getReputation> = async (context, { agentPubkey }) => {
  const [account, row] = await Promise.all([
    reputationAddress(context.ledger.programAddress, address(agentPubkey)),
    findReputation(context.db, agentPubkey),
  ]);
  return { answer: viewReputation(agentPubkey, account, row) };
};
