import { lamportsToSolNumber, type operations, toLamports } from '@agent-relay/protocol';
import type { Run } from '../implement.js';

export const getStats: Run<typeof operations.getStats> = async ({ counts }) => {
  const { packages, swarms, bids, agents, paidLamports } = await counts();
  const volumeLamports = toLamports(paidLamports);
  return {
    answer: {
      packages: Object.values(packages).reduce((sum, count) => sum + count, 0),
      packagesByStatus: packages,
      // There is no operation yet that posts one.
      digitalTasks: 0,
      swarms,
      bids,
      agents,
      volumeLamports,
      volumeSol: lamportsToSolNumber(volumeLamports),
    },
  };
};
