import { z } from 'zod';
import { lamports, solView } from '../schemas.js';
import { reputation } from '../resources/agent.js';
import { operation } from './operation.js';

/** Agents on the leaderboard. */
export const LEADERBOARD_SIZE = 20;

const count = z.int().min(0);

export const getLeaderboard = operation({
  name: 'getLeaderboard',
  tag: 'stats',
  summary: 'The 20 most reliable agents',
  description: 'By reliability score; equal scores by legs completed, then by address.',
  method: 'GET',
  path: '/leaderboard',
  answer: z.array(reputation.extend({ rank: z.int().min(1), displayName: z.string().nullable() })),
  tool: {
    name: 'svc_leaderboard',
    title: 'Most reliable agents',
    description:
      'The top 20 agents by on-chain reliability score (0 to 100); ties by legs completed. Takes no arguments. ' +
      'Next: svc_get_reputation for any other agent.',
    quotes: true,
    readOnly: true,
    idempotent: true,
    example: {},
  },
});

const marketCounts = z.strictObject({
  packages: count,
  packagesByStatus: z.strictObject({
    listed: count,
    swarm_forming: count,
    in_transit: count,
    delivered: count,
    failed: count,
  }),
  digitalTasks: count,
  digitalTasksByStatus: z.strictObject({ listed: count, in_progress: count, completed: count, failed: count }),
  swarms: count,
  bids: count,
  agents: count,
  volumeLamports: lamports,
  volumeSol: solView,
});

export const getStats = operation({
  name: 'getStats',
  tag: 'stats',
  summary: 'Counts of everything',
  description:
    'At most a second old; in a large market, where counting takes long, a few seconds. volume is what confirmed legs paid to agents.',
  method: 'GET',
  path: '/stats',
  answer: marketCounts.extend({
    escrowLamports: lamports.meta({
      description: 'what the vaults of packages and digital tasks hold, without their rent',
    }),
    lastEventSeq: z.int().min(0).meta({
      description:
        'of the newest event that is counted here: give it as since to follow what is not; 0 before the first',
    }),
    medianFormationMs: z.int().min(0).nullable().meta({
      description:
        'from the choice of a chain to its formation on the ledger, median of the last 100; null before the first',
    }),
  }),
  tool: {
    name: 'svc_economy_stats',
    title: 'Counts of the marketplace',
    description:
      'How many packages, digital tasks, swarms, bids and agents there are, and the SOL volume paid to agents. ' +
      'Takes no arguments; at most a second old.',
    readOnly: true,
    idempotent: true,
    example: {},
    answer: z.object(marketCounts.shape),
  },
});
