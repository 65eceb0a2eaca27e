import { reputationAddress } from '@agent-relay/program-client';
import type { operations } from '@agent-relay/protocol';
import { address } from '@solana/kit';
import { findReputation } from '../../db/reputations.js';
import type { Run } from '../implement.js';
import { viewReputation } from '../views.js';

export const getReputation: Run<typeof operations.getReputation> = async (context, { agentPubkey }) => {
  const [account, row] = await Promise.all([
    reputationAddress(context.chain.programAddress, address(agentPubkey)),
    findReputation(context.db, agentPubkey),
  ]);
  return { answer: viewReputation(agentPubkey, account, row) };
};
