import { RelayError, type operations } from '@agent-relay/protocol';
import { findPackage, isListed } from '../../db/packages.js';
import type { Run } from '../implement.js';
import { viewPackageDetail } from '../views.js';

export const getPackage: Run<typeof operations.getPackage> = async (context, { packageId }) => {
  const row = await findPackage(context.db, packageId);
  if (!row || !isListed(row)) throw RelayError.field('not_found', 'packageId', 'no listed package has this id');
  return { answer: await viewPackageDetail(context.db, row) };
};
