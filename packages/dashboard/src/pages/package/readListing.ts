import { getPackageDecoder, PACKAGE_KIND } from '@legwork/program-client';
import { unwrapOption } from '@solana/kit';
import type { PackageDetail } from '@legwork/sdk';
import type { Listing } from '../../checks/terms.js';
import { ledgerRpc, readAccount, readTransaction } from '../../data/ledger.js';

/** What the ledger holds of a package: its account, or once that is closed, the transaction that listed it. */
export async function readListing({ onChainPackage, listSignature }: PackageDetail): Promise<Listing> {
  const { programId } = await ledgerRpc();
  const account = await readAccount(onChainPackage);
  if (account?.owner === programId && account.data[0] === PACKAGE_KIND) {
    const listed = getPackageDecoder().decode(account.data);
    return { ...listed, terms: unwrapOption(listed.terms) };
  }
  const transaction = await readTransaction(listSignature);
  for (const { relay } of transaction?.error === undefined ? (transaction?.instructions ?? []) : []) {
    if (relay?.name !== 'listPackage' || relay.accounts.package.address !== onChainPackage) continue;
    const { maxBudget, deadline, termsHash, terms } = relay.data;
    const { shipper, funder } = relay.accounts;
    return {
      shipper: shipper.address,
      funder: funder.address,
      maxBudget,
      deadline,
      termsHash,
      terms: unwrapOption(terms),
    };
  }
  throw new Error('the ledger shows neither its account nor the transaction that listed it');
}
