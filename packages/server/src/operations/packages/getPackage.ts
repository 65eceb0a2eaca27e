import type { operations } from '@legwork/protocol/contract';
import type { Run } from '../run.js';
import { readPackage } from './view.js';

export const getPackage: Run<typeof operations.getPackage> = async (context, { packageId }) => {
  return { answer: await readPackage(context, packageId) };
};
