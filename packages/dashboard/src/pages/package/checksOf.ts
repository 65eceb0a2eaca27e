import type { PackageDetail } from '@legwork/sdk';
import { checkTerms } from '../../checks/terms.js';
import type { Money } from '../../checks/vault.js';
import { asText, escrowChecks } from '../../data/escrowChecks.js';
import { service } from '../../data/service.js';
import type { PageCheck } from '../../ui/Checks.js';
import { claimsOf } from './claims.js';

/** Every check of a package's page but that of its choice. */
export function checksOf(parcel: PackageDetail, money: Money | undefined): PageCheck[] {
  const terms: PageCheck = { id: 'terms', of: asText(parcel), make: () => termsOnLedger(parcel) };
  if (money === undefined) return [terms];
  const read = () => service.getPackageMoney({ packageId: parcel.id });
  return [...escrowChecks(money, claimsOf(parcel, money), read), terms];
}

async function termsOnLedger(parcel: PackageDetail) {
  const { readListing } = await import('./readListing.js');
  return checkTerms(parcel, await readListing(parcel));
}
