import { createHash } from 'node:crypto';
import type { AnswerOf, operations } from '@legwork/protocol/contract';
import { CLAIMS_CSV_HEAD, claimsCsvLines } from '@legwork/protocol/rules';
import type { Trx } from '../../db/connect.js';
import { pageOfClaims, type Rank } from '../../db/rewards.js';
import { inTransaction } from '../../db/transaction.js';
import type { Run } from '../run.js';
import { viewClaim } from './view.js';

/** Claims written at once; the service answers other requests in between. */
const BATCH = 500;

/** Holds the whole text in memory, about 240 bytes a claim, because its digest goes before it. */
export const exportRewardClaims: Run<typeof operations.exportRewardClaims> = async ({ db }) => {
  return { answer: await inTransaction(db, writeClaims, 'repeatable read') };
};

async function writeClaims(trx: Trx): Promise<AnswerOf<typeof operations.exportRewardClaims>> {
  const parts = [CLAIMS_CSV_HEAD];
  const digest = createHash('sha256').update(CLAIMS_CSV_HEAD);
  let claims = 0;
  let after: Rank | undefined;
  for (;;) {
    const rows = await pageOfClaims(trx, { after, limit: BATCH });
    const lines = claimsCsvLines(rows.map(viewClaim), claims + 1);
    parts.push(lines);
    digest.update(lines);
    claims += rows.length;
    after = rows.at(-1);
    if (rows.length < BATCH) return { csv: parts.join(''), sha256: digest.digest('hex'), claims };
  }
}
