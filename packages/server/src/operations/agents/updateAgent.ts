import { operations } from '@legwork/protocol/contract';
import { updateProfile } from '../../db/agents.js';
import { requiresSignature } from '../../db/signingKeys.js';
import { inTransaction } from '../../db/transaction.js';
import { requireWallet } from '../guards.js';
import type { Run } from '../run.js';
import { signedCallOf } from '../signedCalls.js';
import { viewAgent } from './view.js';

export const updateAgent: Run<typeof operations.updateAgent> = async (context, input, caller) => {
  const { agentPubkey, displayName, capabilities, requireSignedCalls } = input;
  requireWallet(context, 'agentPubkey', agentPubkey);
  const changes = { pubkey: agentPubkey, displayName, capabilities, requireSignedCalls };
  const { config, db } = context;
  const call = signedCallOf(caller, operations.updateAgent, input);
  const registered = await inTransaction(db, (trx) => updateProfile(trx, changes, call));
  return { answer: viewAgent(agentPubkey, registered, await requiresSignature(db, config.unsignedCalls, agentPubkey)) };
};
