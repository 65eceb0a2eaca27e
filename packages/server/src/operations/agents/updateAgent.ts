import type { operations } from '@agent-relay/protocol';
import { updateProfile } from '../../db/agents.js';
import type { Run } from '../implement.js';
import { requireWallet } from '../requireWallet.js';
import { viewAgent } from '../views.js';

export const updateAgent: Run<typeof operations.updateAgent> = async (context, input) => {
  const { agentPubkey, displayName, capabilities, requireSignedCalls } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  const changes = { pubkey: agentPubkey, displayName, capabilities, requireSignedCalls };
  return { answer: viewAgent(agentPubkey, await updateProfile(context.db, changes)) };
};
