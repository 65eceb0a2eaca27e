import type { operations } from '@legwork/protocol/contract';
import { readArbiterRecord } from '../../db/turns.js';
import type { Run } from '../run.js';

/** Rule T-67. */
export const getArbiter: Run<typeof operations.getArbiter> = async ({ db }, { arbiterPubkey }) => {
  const { ruled, silent, open, mean_percent: meanPercent } = await readArbiterRecord(db, arbiterPubkey);
  return { answer: { arbiterPubkey, ruled: Number(ruled), silent: Number(silent), open: Number(open), meanPercent } };
};
