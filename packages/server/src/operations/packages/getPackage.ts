import type { operations } from '@agent-relay/protocol';
import type { Run } from '../implement.js';
import { viewPackageDetail } from '../views.js';
import { requirePackage } from './requirePackage.js';

export const getPackage: Run<typeof operations.getPackage> = async (context, { packageId }) => {
  return { answer: await viewPackageDetail(context, await requirePackage(context.db, packageId)) };
};
