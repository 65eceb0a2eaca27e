import { RelayError } from '@legwork/protocol/contract';
import type { Db, Trx } from '../../db/connect.js';
import { findPackage, isListed, type ListedPackageRow } from '../../db/packages.js';
import type { PackageRow } from '../../db/schema.js';
import type { Named } from '../exits.js';

/** How refusals name a package. */
export const PACKAGE = { field: 'packageId', noun: 'package' } as const satisfies Named;

/** The row as a listed package; a draft is not one yet. @throws RelayError `not_found` */
export function listedPackage(row: PackageRow | undefined): ListedPackageRow {
  if (!row || !isListed(row))
    throw RelayError.field('not_found', 'packageId', 'no package has this id, or it is a draft that is not listed yet');
  return row;
}

/** The package that the path names. @throws RelayError `not_found` */
export async function requirePackage(db: Db | Trx, packageId: string): Promise<ListedPackageRow> {
  return listedPackage(await findPackage(db, packageId));
}
