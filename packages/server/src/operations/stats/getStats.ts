import { lamportsToSolNumber, type operations, toLamports } from '@legwork/protocol/contract';
import type { Run } from '../run.js';

export const getStats: Run<typeof operations.getStats> = async ({ counts }) => {
  const { packages, digitalTasks, swarms, bids, agents, paidLamports, ...now } = await counts();
  const volumeLamports = toLamports(paidLamports);
  return {
    answer: {
      packages: sumOf(packages),
      packagesByStatus: packages,
      digitalTasks: sumOf(digitalTasks),
      digitalTasksByStatus: digitalTasks,
      swarms,
      bids,
      agents,
      volumeLamports,
      volumeSol: lamportsToSolNumber(volumeLamports),
      escrowLamports: toLamports(now.escrowLamports),
      lastEventSeq: Number(now.lastEventSeq),
      medianFormationMs: now.medianFormationMs,
    },
  };
};

function sumOf(byStatus: Record<string, number>): number {
  return Object.values(byStatus).reduce((sum, count) => sum + count, 0);
}
