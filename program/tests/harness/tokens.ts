import {
  assetAddress,
  associatedTokenAddress,
  getSetAssetInstruction,
  TOKEN_PROGRAM_ADDRESS,
  type TokenAsset,
} from '@legwork/program-client';
import { type Address, getAddressEncoder, getU64Decoder, getU64Encoder } from '@solana/kit';
import { must, SOL } from './delivery.js';
import { keyOf } from './keys.js';
import type { AccountState, ForgingLedger } from './ledger.js';
import type { Relay } from './relay.js';

/** Rent of a token account, lamports. */
export const RENT_OF_TOKENS = 2_039_280n;
const RENT_OF_MINT = 1_461_600n;
const AMOUNT_AT = 64;

/** How a token account may look; unless told it is one that a wallet has just made. */
export interface TokenAccountForm {
  readonly mint: Address;
  readonly owner: Address;
  readonly amount?: bigint;
  readonly state?: 'uninitialized' | 'initialized' | 'frozen';
  readonly delegate?: Address;
  readonly closeAuthority?: Address;
}

/** A token account of the classic Token program, as its bytes are on any cluster. */
export function tokenAccount({ mint, owner, amount = 0n, ...form }: TokenAccountForm): AccountState {
  const { state = 'initialized', delegate, closeAuthority } = form;
  const data = new Uint8Array(165);
  const encoder = getAddressEncoder();
  data.set(encoder.encode(mint), 0);
  data.set(encoder.encode(owner), 32);
  data.set(getU64Encoder().encode(amount), AMOUNT_AT);
  if (delegate !== undefined) {
    data[72] = 1;
    data.set(encoder.encode(delegate), 76);
    data.set(getU64Encoder().encode(amount), 121);
  }
  data[108] = ['uninitialized', 'initialized', 'frozen'].indexOf(state);
  if (closeAuthority !== undefined) {
    data[129] = 1;
    data.set(encoder.encode(closeAuthority), 133);
  }
  return { lamports: RENT_OF_TOKENS, owner: TOKEN_PROGRAM_ADDRESS, data, executable: false };
}

/** A mint whose issuer, the `issuer` of the tests, can mint and freeze. */
export async function mintAccount(decimals: number, owner: Address = TOKEN_PROGRAM_ADDRESS): Promise<AccountState> {
  const issuer = getAddressEncoder().encode((await keyOf('issuer')).address);
  const data = new Uint8Array(82);
  data[0] = 1;
  data.set(issuer, 4);
  data.set(getU64Encoder().encode(1n << 62n), 36);
  data[44] = decimals;
  data[45] = 1;
  data[46] = 1;
  data.set(issuer, 50);
  return { lamports: RENT_OF_MINT, owner, data, executable: false };
}

/** How many tokens are at an address; 0: there is no token account. */
export async function tokensAt(ledger: Pick<ForgingLedger, 'account'>, account: Address): Promise<bigint> {
  const state = await ledger.account(account);
  return state?.owner === TOKEN_PROGRAM_ADDRESS ? getU64Decoder().decode(state.data, AMOUNT_AT) : 0n;
}

/** Gives a wallet its associated token account with so many tokens. */
export async function give(ledger: ForgingLedger, wallet: Address, mint: Address, amount = 0n): Promise<Address> {
  const account = await associatedTokenAddress(wallet, mint);
  await ledger.forge(account, tokenAccount({ mint, owner: wallet, amount }));
  return account;
}

/** A mint and the asset with this number that it is. */
export async function newAsset(relay: Relay, number = 1, { minAmount = 1n, decimals = 6 } = {}): Promise<TokenAsset> {
  const mint = (await keyOf(`mint ${number}`)).address;
  await relay.ledger.forge(mint, await mintAccount(decimals));
  await relay.ledger.airdrop(relay.authority.address, 1_000n * SOL);
  must(await relay.ledger.send(await setAsset(relay, { number, mint }, { minAmount })));
  return { number, mint };
}

export async function setAsset(
  relay: Relay,
  { number, mint }: TokenAsset,
  { isOpen = true, minAmount = 1n, authority = relay.authority } = {},
) {
  const { programAddress, config } = relay;
  const asset = await assetAddress(programAddress, number);
  return getSetAssetInstruction({ authority, config, asset, mint, number, isOpen, minAmount }, { programAddress });
}
