import { createUuid, type PackageView, SOL, toLamports } from '@legwork/protocol/contract';
import { newSigner } from './service.js';
import type { Runs } from '../../src/operations/index.js';

export const SHIPPER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

/** A package as an implementation answers it. */
export function packageView(id = createUuid()): PackageView {
  return {
    id,
    status: 'listed',
    failureReason: null,
    finality: 'final',
    originLat: 52.52,
    originLng: 13.405,
    destLat: 52.4,
    destLng: 13.05,
    description: 'a book',
    weightKg: 1,
    volumeLitres: 2,
    ...SOL,
    maxBudget: toLamports(250_000_000n),
    maxBudgetSol: 0.25,
    maxBudgetLamports: toLamports(250_000_000n),
    deadline: new Date('2030-01-02T03:04:05.678Z'),
    shipperPubkey: SHIPPER,
    funderPubkey: SHIPPER,
    termsHash: 'ab',
    onChainPackage: SHIPPER,
    onChainVault: SHIPPER,
    listSignature: 'signature',
    listedAt: new Date('2030-01-01T00:00:00.000Z'),
    settleSignature: null,
    refund: null,
    refundLamports: null,
    endSignature: null,
    biddingWindowSec: 0,
    biddingClosesAt: null,
    terms: null,
    requirements: null,
    erasedAt: null,
    documentKnown: true,
  };
}

/** Registers in the database, so that a test can see whether a request got through. */
export const registerAgent: Runs['registerAgent'] = async (context, { agentPubkey, displayName }) => {
  await context.db
    .insertInto('agents')
    .values({ pubkey: agentPubkey, display_name: displayName ?? null, airdropped_at: null, airdrop_signature: null })
    .execute();
  const airdrop = { status: 'skipped', signature: null, reason: 'none' } as const;
  const onboarding = { systemPrompt: 'prompt', configSnippets: { claudeCode: 'a', cursor: 'b' } };
  return { answer: { registered: true, agentPubkey, airdrop, tokens: [], ...onboarding } };
};

/** A signed operation that leaves a trace: the agent that the signature proved becomes a row. */
export const submitBid: Runs['submitBid'] = async (context, input, caller) => {
  await context.db
    .insertInto('agents')
    .values({ pubkey: caller.pubkey ?? 'nobody', display_name: null, airdropped_at: null, airdrop_signature: null })
    .execute();
  return {
    answer: {
      id: createUuid(),
      packageId: input.packageId,
      agentPubkey: input.agentPubkey,
      ...SOL,
      cost: toLamports(1n),
      costSol: input.costSol ?? null,
      costLamports: toLamports(1n),
      expectedPayment: toLamports(9_007_199_254_740_991n),
      expectedPaymentLamports: toLamports(9_007_199_254_740_991n),
      expiresAt: new Date(0),
      createdAt: new Date(0),
      warning: null,
    },
  };
};

/** A body that `POST /bids` takes. */
export function bidBody(agentPubkey: string): Record<string, unknown> {
  return {
    packageId: createUuid(),
    agentPubkey,
    pickupLat: 52.52,
    pickupLng: 13.405,
    dropoffLat: 52.4,
    dropoffLng: 13.05,
    distanceKm: 30,
    estimatedDurationMin: 45,
    costSol: 0.05,
  };
}

/** A body that `POST /agents` takes, of a new agent. */
export function agentBody(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({ agentPubkey: newSigner().pubkey, ...fields });
}
