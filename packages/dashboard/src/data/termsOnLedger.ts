import {
  getPackageDecoder,
  getTaskDecoder,
  PACKAGE_KIND,
  type RelayInstruction,
  SOL_ASSET,
  TASK_KIND,
} from '@legwork/program-client';
import type { Asset, DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import { unwrapOption } from '@solana/kit';
import type { Outcome } from '../checks/outcome.js';
import { checkTaskTerms, checkTerms, type Listing } from '../checks/terms.js';
import { ledgerRpc, readAccount, readTransaction } from './ledger.js';
import { assetAt, tokenMeant, tokenOnLedger } from './tokens.js';
import { t } from '../language.js';

/** Compares what a package is said to be with its account or, once that is closed, with the transaction that listed it. */
export async function packageOnLedger(parcel: PackageDetail): Promise<Outcome> {
  const data = await accountOf(parcel.onChainPackage, PACKAGE_KIND);
  if (data) return checkTerms(await withToken(parcel), withTerms(await inAccount(getPackageDecoder().decode(data))));
  const listed = await listingOf(parcel.listSignature, (relay) =>
    relay.name === 'listPackage' && relay.accounts.package.address === parcel.onChainPackage
      ? { ...inListing(relay), shipper: relay.accounts.shipper.address }
      : undefined,
  );
  return checkTerms(await withToken(parcel), withTerms(await named(listed)));
}

/** The same of a digital task. */
export async function taskOnLedger(task: DigitalTaskDetail): Promise<Outcome> {
  const data = await accountOf(task.onChainTask, TASK_KIND);
  if (data) {
    const { poster, ...held } = getTaskDecoder().decode(data);
    return checkTaskTerms(await withToken(task), withTerms(await inAccount({ ...held, shipper: poster })));
  }
  const listed = await listingOf(task.listSignature, (relay) =>
    relay.name === 'listTask' && relay.accounts.task.address === task.onChainTask
      ? { ...inListing(relay), shipper: relay.accounts.poster.address }
      : undefined,
  );
  return checkTaskTerms(await withToken(task), withTerms(await named(listed)));
}

type Held = Omit<Listing, 'terms'> & Pick<ReturnType<ReturnType<typeof getTaskDecoder>['decode']>, 'terms'>;

/** The listing of a transaction names the account of its asset, if it has one. */
type Found = Omit<Held, 'token'> & { readonly asset: string | undefined };

const inAccount = async <Account extends { readonly asset: number }>(account: Account) => ({
  ...account,
  token: account.asset === SOL_ASSET ? undefined : await tokenOnLedger(await assetAt(account.asset)),
});

const named = async ({ asset, ...found }: Found): Promise<Held> => ({
  ...found,
  token: asset === undefined ? undefined : await tokenOnLedger(asset),
});

const withToken = async <Shown extends Asset>(shown: Shown) => ({ ...shown, token: await tokenMeant(shown) });

const inListing = ({ data, accounts, tokens }: Extract<RelayInstruction, { name: 'listPackage' | 'listTask' }>) => ({
  ...data,
  funder: accounts.funder.address,
  asset: tokens?.asset,
});

const withTerms = (held: Held): Listing => ({ ...held, terms: unwrapOption(held.terms) });

/** @returns undefined when the account is closed */
async function accountOf(at: string, kind: number): Promise<Uint8Array | undefined> {
  const [{ programId }, account] = await Promise.all([ledgerRpc(), readAccount(at)]);
  return account?.owner === programId && account.data[0] === kind ? account.data : undefined;
}

async function listingOf(signature: string, read: (relay: RelayInstruction) => Found | undefined): Promise<Found> {
  const transaction = await readTransaction(signature);
  const done = transaction?.error === undefined ? (transaction?.instructions ?? []) : [];
  const [listed] = done.flatMap(({ relay }) => (relay && read(relay)) ?? []);
  if (listed !== undefined) return listed;
  throw new Error(t('the ledger shows neither its account nor the transaction that listed it'));
}
