import { type operations, RelayError } from '@legwork/protocol/contract';
import { findReputation } from '../../db/reputations.js';
import { issueCredential } from '../../identity/reputationCredential.js';
import type { Run } from '../run.js';
import { didKey } from './didKey.js';

export const getReputationCredential: Run<typeof operations.getReputationCredential> = async (context, input) => {
  const agentPubkey = didKey(context, input.pubkey);
  const row = await findReputation(context.db, agentPubkey);
  if (row === undefined) {
    const message =
      'the ledger shows no reputation account of this key; the first leg assigned to it makes one, or whoever pays for it before (build-open-tx)';
    throw RelayError.field('not_found', 'pubkey', message);
  }
  const reputation = {
    legsAccepted: Number(row.legs_accepted),
    legsCompleted: Number(row.legs_completed),
    reliabilityScore: row.reliability_score,
    onChainPDA: row.on_chain_pda,
    mirroredAt: row.mirrored_at,
  };
  return {
    answer: { jwt: await issueCredential(context.ledger.coordinator, { agentPubkey, reputation }, context.clock()) },
  };
};
