import { reputationAddress } from '@legwork/program-client';
import { RelayError, toLamports, type operations } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import { standingOf } from '../../coordinator/chooseChain.js';
import { findAgent, readHistory } from '../../db/agents.js';
import { findReputation, standingInMirror } from '../../db/reputations.js';
import { requiresSignature } from '../../db/signingKeys.js';
import type { Run } from '../run.js';
import { viewAgent, viewReputation } from './view.js';

export const getAgent: Run<typeof operations.getAgent> = async ({ db, config, ledger }, { agentPubkey }) => {
  const [account, registered, signedOnly, reputation, standing, history] = await Promise.all([
    reputationAddress(ledger.programAddress, address(agentPubkey)),
    findAgent(db, agentPubkey),
    requiresSignature(db, config.unsignedCalls, agentPubkey),
    findReputation(db, agentPubkey),
    standingInMirror(db, agentPubkey),
    readHistory(db, agentPubkey),
  ]);
  if (!registered && !reputation && history.bids === 0n && !history.has_claims) {
    throw RelayError.field('not_found', 'agentPubkey', 'nothing is known of this wallet: it never registered or bid');
  }
  return {
    answer: {
      ...viewAgent(agentPubkey, registered, signedOnly),
      reputation: viewReputation(agentPubkey, account, reputation),
      trust: {
        adjustmentPercent: standing.trust_adjustment,
        isNewcomer: !standing.has_history,
        weightPercent: standingOf(config, standing),
      },
      history: {
        legsPending: Number(history.legs_pending),
        legsCompleted: Number(history.legs_completed),
        legsLost: Number(history.legs_lost),
        earnedLamports: toLamports(history.earned),
        bids: Number(history.bids),
        lastCompletedAt: history.last_completed_at,
      },
    },
  };
};
