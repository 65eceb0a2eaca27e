import {
  BODY_LIMIT_BYTES,
  MAX_BID_EXPIRY_SEC,
  MAX_BIDDING_WINDOW_SEC,
  MAX_CHAIN_LEGS,
  MAX_LAMPORTS,
  MIN_BID_EXPIRY_SEC,
  NONCE_WINDOW_MS,
  type operations,
} from '@legwork/protocol/contract';
import {
  DEFAULT_BID_EXPIRY_SEC,
  DEFAULT_BIDDING_WINDOW_SEC,
  DEFAULT_DEADLINE_SEC,
  HANDOFF_RADIUS_KM,
  MAX_DEADLINE_SEC,
  MAX_LIVE_BIDS_PER_AGENT,
  MAX_SPONSORED_DEADLINE_SEC,
  MIN_DEADLINE_SEC,
} from '@legwork/protocol/rules';
import type { Config } from '../../config.js';
import { SERVICE_VERSION } from '../../version.js';
import type { Run } from '../run.js';

export const getConfig: Run<typeof operations.getConfig> = async ({ config, ledger, publicUrl, mcpUrl }) => ({
  answer: {
    name: 'legwork',
    version: SERVICE_VERSION,
    publicUrl,
    mcpUrl,
    cluster: config.cluster,
    rpcUrl: config.rpcUrl,
    rpcSubscriptionsUrl: config.rpcSubscriptionsUrl,
    genesisHash: ledger.genesisHash,
    programId: ledger.programAddress,
    coordinatorPubkey: ledger.coordinator.address,
    arbiterPubkey: config.arbiterPubkey ?? null,
    termsDocument: 2,
    privateParts: config.personalDataKeys !== undefined,
    rewards: config.claimWindow,
    limits: { ...FIXED_LIMITS, ...configuredLimits(config) },
  },
});

/** The limits that every service has. */
const FIXED_LIMITS = {
  maxLegs: MAX_CHAIN_LEGS,
  handoffRadiusKm: HANDOFF_RADIUS_KM,
  maxBudgetLamports: MAX_LAMPORTS,
  bidExpirySec: { min: MIN_BID_EXPIRY_SEC, max: MAX_BID_EXPIRY_SEC, default: DEFAULT_BID_EXPIRY_SEC },
  deadlineSec: { min: MIN_DEADLINE_SEC, max: MAX_DEADLINE_SEC, default: DEFAULT_DEADLINE_SEC },
  nonceWindowSec: NONCE_WINDOW_MS / 1000,
  bodyBytes: BODY_LIMIT_BYTES,
  biddingWindowSec: { min: 0, max: MAX_BIDDING_WINDOW_SEC, default: DEFAULT_BIDDING_WINDOW_SEC },
  liveBidsPerAgent: MAX_LIVE_BIDS_PER_AGENT,
};

/** The limits that the operator sets. */
function configuredLimits({ limits, unsignedCalls, newcomerBudgets, sponsorCaps, apiKeys }: Config) {
  const { drafts, airdrops, ...perMinute } = limits;
  return {
    perMinute,
    perHour: { drafts },
    perDay: { airdrops },
    unsignedCalls,
    newcomers: {
      addressPerDayLamports: newcomerBudgets.address,
      perDayLamports: newcomerBudgets.day,
    },
    sponsoring: {
      taskLamports: sponsorCaps.task,
      posterPerDayLamports: sponsorCaps.poster,
      addressPerDayLamports: sponsorCaps.ip,
      perDayLamports: sponsorCaps.day,
      outstandingLamports: sponsorCaps.outstanding,
      maxDeadlineSec: MAX_SPONSORED_DEADLINE_SEC,
      needsApiKey: apiKeys.length > 0,
    },
  };
}
