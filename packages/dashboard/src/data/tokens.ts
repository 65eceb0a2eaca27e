import {
  assetAddress,
  associatedTokenAddress,
  lockerAddress,
  readTokenAccount,
  TOKEN_ACCOUNT_BYTES,
} from '@legwork/program-client';
import { type Asset, paidIn } from '@legwork/sdk';
import { address, getAddressDecoder } from '@solana/kit';
import type { MovedIn } from '../checks/transaction.js';
import type { Money } from '../checks/vault.js';
import { ledgerRpc, readAccount } from './ledger.js';
import { service } from './service.js';
import { shell } from './shell.js';

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
    throw new Error("the vault's token account is not of this vault and token");
  }
  return found.amount;
}

/** Bytes of an asset's account, behind kind, version, bump and number. */
const MINT_AT = 4;
const DECIMALS_AT = 36;

/** The token of an asset, given its account's address. @throws Error when the ledger shows none */
export async function tokenOnLedger(asset: string): Promise<LedgerToken> {
  const account = await readAccount(asset);
  if (!account?.isRelays) throw new Error(`the ledger does not show the asset ${asset}`);
  return { mint: getAddressDecoder().decode(account.data, MINT_AT), decimals: account.data[DECIMALS_AT] ?? 0 };
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
