import { PROGRAM, SOME_ADDRESS } from './transactions.js';

const range = { min: 1, max: 2, default: 1 };
/** The answer of `GET /config`. */
export const config = {
  name: 'legwork',
  version: '0.1.0',
  publicUrl: 'http://localhost',
  mcpUrl: 'http://localhost/mcp',
  cluster: 'embedded',
  rpcUrl: 'http://localhost',
  rpcSubscriptionsUrl: 'ws://localhost',
  genesisHash: 'x',
  programId: PROGRAM,
  coordinatorPubkey: SOME_ADDRESS,
  rewards: { opensAt: '2026-05-11T00:00:00.000Z', closesAt: '2026-05-17T23:59:59.999Z' },
  limits: {
    maxLegs: 7,
    handoffRadiusKm: 2,
    maxBudgetLamports: 1,
    bidExpirySec: range,
    deadlineSec: range,
    nonceWindowSec: 60,
    bodyBytes: 65_536,
    biddingWindowSec: range,
    liveBidsPerAgent: 20,
    perMinute: { toolCalls: 120, bids: 20, bidsPerAddress: 240, writes: 60, parts: 600, reads: 600 },
    perHour: { drafts: 120 },
    perDay: { airdrops: 30 },
    unsignedCalls: 'newcomers',
    newcomers: { addressPerDayLamports: 1, perDayLamports: 1 },
    sponsoring: {
      taskLamports: 1,
      posterPerDayLamports: 1,
      addressPerDayLamports: 1,
      perDayLamports: 1,
      outstandingLamports: 1,
      maxDeadlineSec: 1,
      needsApiKey: false,
    },
  },
};
