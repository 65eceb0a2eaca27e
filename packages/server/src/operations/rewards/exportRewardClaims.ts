import { claimsCsv, type ExportedClaim, type operations } from '@agent-relay/protocol';
import type { Trx } from '../../db/connect.js';
import { pageOfClaims, type Rank } from '../../db/rewardClaims.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../implement.js';
import { viewClaim } from './viewClaim.js';

/** Rows that are in memory besides what is made of them. */
const BATCH = 1000;

async function allClaims(trx: Trx): Promise<ExportedClaim[]> {
  const claims: ExportedClaim[] = [];
  let after: Rank | undefined;
  for (;;) {
    const rows = await pageOfClaims(trx, { after, limit: BATCH });
    for (const row of rows) claims.push(viewClaim(row));
    after = rows.at(-1);
    if (rows.length < BATCH) return claims;
  }
}

/** Memory grows with the number of claims, about a kilobyte each. */
export const exportRewardClaims: Run<typeof operations.exportRewardClaims> = async ({ db }) => {
  const claims = await inTransaction(db, allClaims, 'repeatable read');
  return { answer: { ...claimsCsv(claims), claims: claims.length } };
};
