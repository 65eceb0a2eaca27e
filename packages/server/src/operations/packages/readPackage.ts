import type { PackageDetail } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import { inTransaction } from '../../db/transaction.js';
import { viewPackageDetail } from '../views.js';
import { requirePackage } from './requirePackage.js';

/**
 * The package with its swarm and legs as they are at one moment: read one after the other, a swarm that fails in between would
 * not go with the status of its package.
 *
 * @throws RelayError `not_found`
 */
export function readPackage(context: Pick<AppContext, 'db' | 'config'>, packageId: string): Promise<PackageDetail> {
  return inTransaction(
    context.db,
    async (trx) => viewPackageDetail({ ...context, db: trx }, await requirePackage(trx, packageId)),
    'repeatable read',
  );
}
