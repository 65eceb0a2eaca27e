import {
  getPackageDecoder,
  getTaskDecoder,
  PACKAGE_KIND,
  type RelayInstruction,
  SOL_ASSET,
  TASK_KIND,
} from '@legwork/program-client';
import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import { unwrapOption } from '@solana/kit';
import type { Outcome } from '../checks/outcome.js';
import { checkTaskTerms, checkTerms, type Listing } from '../checks/terms.js';
import { ledgerRpc, readAccount, readTransaction } from './ledger.js';

/** Compares what a package is said to be with its account or, once that is closed, with the transaction that listed it. */
export async function packageOnLedger(parcel: PackageDetail): Promise<Outcome> {
  const data = await accountOf(parcel.onChainPackage, PACKAGE_KIND);
  if (data) return checkTerms(parcel, withTerms(inAccount(getPackageDecoder().decode(data))));
  const listed = await listingOf(parcel.listSignature, (relay) =>
    relay.name === 'listPackage' && relay.accounts.package.address === parcel.onChainPackage
      ? { ...inListing(relay), shipper: relay.accounts.shipper.address }
      : undefined,
  );
  return checkTerms(parcel, withTerms(listed));
}

/** The same of a digital task. */
export async function taskOnLedger(task: DigitalTaskDetail): Promise<Outcome> {
  const data = await accountOf(task.onChainTask, TASK_KIND);
  if (data) {
    const { poster, ...held } = getTaskDecoder().decode(data);
    return checkTaskTerms(task, withTerms(inAccount({ ...held, shipper: poster })));
  }
  const listed = await listingOf(task.listSignature, (relay) =>
    relay.name === 'listTask' && relay.accounts.task.address === task.onChainTask
      ? { ...inListing(relay), shipper: relay.accounts.poster.address }
      : undefined,
  );
  return checkTaskTerms(task, withTerms(listed));
}

type Held = Omit<Listing, 'terms'> & Pick<ReturnType<ReturnType<typeof getTaskDecoder>['decode']>, 'terms'>;

const inAccount = <Account extends { readonly asset: number }>(account: Account) => ({
  ...account,
  isInTokens: account.asset !== SOL_ASSET,
});

const inListing = ({ data, accounts, tokens }: Extract<RelayInstruction, { name: 'listPackage' | 'listTask' }>) => ({
  ...data,
  funder: accounts.funder.address,
  isInTokens: tokens !== undefined,
});

const withTerms = (held: Held): Listing => ({ ...held, terms: unwrapOption(held.terms) });

/** @returns undefined when the account is closed */
async function accountOf(at: string, kind: number): Promise<Uint8Array | undefined> {
  const [{ programId }, account] = await Promise.all([ledgerRpc(), readAccount(at)]);
  return account?.owner === programId && account.data[0] === kind ? account.data : undefined;
}

async function listingOf(signature: string, read: (relay: RelayInstruction) => Held | undefined): Promise<Held> {
  const transaction = await readTransaction(signature);
  const done = transaction?.error === undefined ? (transaction?.instructions ?? []) : [];
  const [listed] = done.flatMap(({ relay }) => (relay && read(relay)) ?? []);
  if (listed !== undefined) return listed;
  throw new Error('the ledger shows neither its account nor the transaction that listed it');
}
