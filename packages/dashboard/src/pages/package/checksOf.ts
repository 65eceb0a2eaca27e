import type { Outcome } from '../../checks/outcome.js';
import { type Claim, checkClaim } from '../../checks/transaction.js';
import { checkTerms } from '../../checks/terms.js';
import { checkRefund, checkVault, type Money } from '../../checks/vault.js';
import { readAccount, readTransaction } from '../../data/ledger.js';
import { service } from '../../data/service.js';
import type { PageCheck } from '../../ui/Checks.js';
import { claimsOf } from './claims.js';
import type { PackageDetail } from '@legwork/sdk';

/** The id of the check of a transaction. */
export const transactionCheck = (signature: string): string => `transaction ${signature}`;

/** Every check of a package's page but that of its choice. */
export function checksOf(parcel: PackageDetail, money: Money | undefined): PageCheck[] {
  const terms: PageCheck = { id: 'terms', of: asText(parcel), make: () => termsOnLedger(parcel) };
  if (money === undefined) return [terms];
  const vault: PageCheck = { id: 'vault', of: asText(money), make: () => vaultOnLedger(parcel.id, money) };
  const transactions = [...claimsOf(parcel, money)].map(
    ([signature, claims]): PageCheck => ({
      id: transactionCheck(signature),
      of: asText(claims),
      make: () => transactionOnLedger(signature, claims, money),
    }),
  );
  return [...transactions, vault, terms];
}

/** Verdicts are about what stands here, to the lamport. */
export function asText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}

async function transactionOnLedger(signature: string, claims: readonly Claim[], money: Money): Promise<Outcome> {
  const transaction = await readTransaction(signature);
  const outcomes = claims.map((claim) => checkClaim(transaction, claim));
  const refund = money.movements.find((movement) => movement.what === 'refund' && movement.signature === signature);
  if (transaction && refund) outcomes.push(checkRefund(transaction, refund, money.vaultRentLamports));
  return outcomes.find(({ holds }) => !holds) ?? { holds: true, seen: `slot ${transaction?.slot}` };
}

async function vaultOnLedger(packageId: string, money: Money): Promise<Outcome> {
  const account = await readAccount(money.onChainVault);
  const outcome = checkVault(money, account?.lamports ?? 0n);
  if (outcome.holds) return outcome;
  // A leg may have been paid since the page was read: then the service says so by now.
  return checkVault(await service.getPackageMoney({ packageId }), account?.lamports ?? 0n);
}

async function termsOnLedger(parcel: PackageDetail): Promise<Outcome> {
  const { readListing } = await import('./readListing.js');
  return checkTerms(parcel, await readListing(parcel));
}
