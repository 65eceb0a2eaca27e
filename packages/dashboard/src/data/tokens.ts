import {
  assetAddress,
  associatedTokenAddress,
  listingRent,
  lockerAddress,
  readTokenAccount,
  rentMinimum,
  TOKEN_ACCOUNT_BYTES,
  TOKEN_ACCOUNT_RENT,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import { type Asset, paidIn, SOL } from '@legwork/sdk';
import { type Address, address, getAddressDecoder, getBase64Encoder } from '@solana/kit';
import type { MovedIn } from '../checks/transaction.js';
import type { Money } from '../checks/vault.js';
import type { Held } from './held.js';
import { ledgerRpc, readAccount } from './ledger.js';
import { service } from './service.js';
import { shell } from './shell.js';
import { t } from '../language.js';

/** A token as the ledger has it by its asset. */
export interface LedgerToken {
  readonly mint: string;
  readonly decimals: number;
}

const meant = async ({ asset }: Pick<Asset, 'asset'>) => paidIn(shell?.config ?? (await service.getConfig()), asset);

/** What the amounts of a listing count, where wallets have token accounts of their own, and lockers of the program. */
export async function movedIn(of: Asset, wallets: readonly string[]): Promise<MovedIn> {
  const [{ token }, { programId }] = await Promise.all([meant(of), ledgerRpc()]);
  const lockers = wallets.map(
    async (wallet) => [wallet, await lockerAddress(address(programId), address(wallet))] as const,
  );
  return { ...of, mint: token?.mint, lockers: new Map(await Promise.all(lockers)) };
}

/** Tokens in the associated token account of a vault; 0 without one. @throws Error when that is an account of somebody else */
export async function heldInTokens(money: Money): Promise<bigint> {
  const { token } = await meant(money);
  if (token === undefined) throw new Error('SOL is in no token account');
  const vault = address(money.onChainVault);
  const account = await readAccount(await associatedTokenAddress(vault, token.mint));
  if (account === undefined) return 0n;
  const found = account.data.length < TOKEN_ACCOUNT_BYTES ? undefined : readTokenAccount(account.data);
  if (found?.mint !== token.mint || found.owner !== vault) {
    throw new Error(t("the vault's token account belongs to another vault or token"));
  }
  return found.amount;
}

/** What a wallet holds: lamports, and of each token that the service lists in what is in its associated token account. */
export async function heldBy(wallet: string): Promise<Held[]> {
  const { assets } = shell?.config ?? (await service.getConfig());
  const mints = assets.flatMap(({ mint }) => mint ?? []);
  const tokens = mints.map(async (mint) => {
    const [of, account] = await Promise.all([
      tokenOfMint(mint),
      associatedTokenAddress(address(wallet), address(mint)).then(readAccount),
    ]);
    const found = account && account.data.length >= TOKEN_ACCOUNT_BYTES ? readTokenAccount(account.data) : undefined;
    // Who gave its account away has nothing in it.
    return { of, amount: found?.owner === wallet ? found.amount : 0n };
  });
  const lamports = readAccount(wallet).then((account) => account?.lamports ?? 0n);
  return [{ of: SOL, amount: await lamports }, ...(await Promise.all(tokens))];
}

/** What changes hands for somebody: of a token for the owner of its account, whatever that account is. */
export interface Change {
  readonly account: Address;
  /** Below 0: it goes out. */
  readonly amounts: readonly Held[];
}

/** An account as a node shows it; null: there is none. */
type Shown =
  | { readonly lamports: bigint; readonly owner: Address; readonly data: readonly [string, string] }
  | null
  | undefined;

/** What accounts have one time and another, as who has more or less of what. */
export async function changesOf(seen: readonly (readonly [Address, before: Shown, after: Shown])[]): Promise<Change[]> {
  const sums = new Map<string, ReturnType<typeof inside>[number]>();
  const add = (one: ReturnType<typeof inside>[number], sign: bigint) => {
    const key = `${one.account} ${one.mint}`;
    sums.set(key, { ...one, amount: (sums.get(key)?.amount ?? 0n) + sign * one.amount });
  };
  for (const [account, before, after] of seen) {
    for (const one of inside(account, before)) add(one, -1n);
    for (const one of inside(account, after)) add(one, 1n);
  }
  const changes = new Map<Address, Held[]>();
  for (const { account, mint, amount } of sums.values()) {
    if (amount === 0n) continue;
    const others = changes.get(account) ?? [];
    // SOL comes first.
    const all =
      mint === undefined ? [{ of: SOL, amount }, ...others] : [...others, { of: await tokenOfMint(mint), amount }];
    changes.set(account, all);
  }
  return [...changes].map(([account, amounts]) => ({ account, amounts }));
}

/** Lamports, and of a token, by its mint, what is in the account for its owner. */
function inside(account: Address, shown: Shown): { account: Address; mint?: Address; amount: bigint }[] {
  if (!shown) return [];
  const lamports = { account, amount: shown.lamports };
  const data = getBase64Encoder().encode(shown.data[0]);
  if (shown.owner !== TOKEN_PROGRAM_ADDRESS || data.length !== TOKEN_ACCOUNT_BYTES) return [lamports];
  const { owner, mint, amount } = readTokenAccount(data);
  return [lamports, { account: owner, mint, amount }];
}

/** The rents that a listing in a token takes, lamports: of its own account, what stays there for good, and of its vault's token account. */
export const rentsOf = (kind: 'package' | 'task', hasTerms: boolean) => ({
  listing: listingRent(kind, hasTerms),
  kept: rentMinimum(0),
  vault: TOKEN_ACCOUNT_RENT,
});

/** Bytes of an asset's account, behind kind, version, bump and number. */
const MINT_AT = 4;
const DECIMALS_AT = 36;
/** Of a mint of the token program. */
const MINT_DECIMALS_AT = 44;

/** The token of an asset, given its account's address. @throws Error when the ledger shows none */
export async function tokenOnLedger(asset: string): Promise<LedgerToken> {
  const account = await readAccount(asset);
  if (!account?.isRelays) throw new Error(t('the ledger does not show the asset {asset}', { asset }));
  return { mint: getAddressDecoder().decode(account.data, MINT_AT), decimals: account.data[DECIMALS_AT] ?? 0 };
}

/**
 * What a token is called, and how many decimals it has: those the ledger has by its mint. The name is the service's, unless it calls another
 * token so than its issuer's.
 *
 * @throws Error when the ledger does not answer, shows no such mint, or has other decimals than the service. Rule M-100.
 */
export async function tokenOfMint(mint: string): Promise<Asset> {
  const config = shell?.config ?? (await service.getConfig());
  const named = config.assets.find((one) => one.mint === mint)?.asset;
  const meant = named && (await paidIn(config, named).catch(() => undefined));
  const account = await readAccount(mint);
  const decimals = account?.data[MINT_DECIMALS_AT];
  if (decimals === undefined || (meant && meant.decimals !== decimals)) {
    throw new Error(t('the ledger does not show the token {mint}', { mint }));
  }
  return { asset: meant ? meant.asset : mint, decimals };
}

/** The token of an asset, given its account's address or its number. @throws as {@link tokenOfMint} */
export async function tokenOfAsset(asset: string | number): Promise<Asset> {
  return tokenOfMint((await tokenOnLedger(typeof asset === 'number' ? await assetAt(asset) : asset)).mint);
}

/** What the service means by the asset of a listing; undefined: SOL. */
export async function tokenMeant(of: Asset): Promise<LedgerToken | undefined> {
  const { token, decimals } = await meant(of);
  return token && { mint: token.mint, decimals };
}

/** Where the ledger has an asset. */
export async function assetAt(number: number): Promise<string> {
  const { programId } = await ledgerRpc();
  return assetAddress(address(programId), number);
}
