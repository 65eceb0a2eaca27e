import type { Account } from './account.js';
import type { AccountKeys } from './accountKeys.js';
import { toBase58 } from './keys.js';
import { isTokenProgram, unpackMint, unpackTokenAccount, plainTokenAmount, type UiTokenAmount } from './token.js';
import type { WireMessage } from './wire.js';

/** The accounts at one moment. */
export type AccountReader = (address: Uint8Array) => Account | undefined;

export type TokenBalance = {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: UiTokenAmount;
};

/**
 * The token balances of a transaction's accounts, as `preTokenBalances` and `postTokenBalances` show them: of token
 * accounts whose mint belongs to the same program, if the transaction names a token program at all. Amounts are
 * without interest or multiplier. Rule L-45.
 */
export function tokenBalances(message: WireMessage, keys: AccountKeys, read: AccountReader): TokenBalance[] {
  if (!keys.all.some(isTokenProgram)) return [];
  const invoked = new Set(message.instructions.map((one) => one.programIndex));
  return keys.all.flatMap((address, index) => {
    if (invoked.has(index) || isTokenProgram(address)) return [];
    const account = read(address);
    const balance = account === undefined ? undefined : balanceOf(account, read);
    return balance === undefined ? [] : [{ accountIndex: index, ...balance }];
  });
}

/** In history, an amount of nothing has no `uiAmount`: so a cluster stores it. */
export function storedTokenBalances(balances: readonly TokenBalance[]): object[] {
  return balances.map((balance) => {
    const { uiAmount } = balance.uiTokenAmount;
    const isNothing = uiAmount !== null && Number(uiAmount.text) <= Number.EPSILON;
    return isNothing ? { ...balance, uiTokenAmount: { ...balance.uiTokenAmount, uiAmount: null } } : balance;
  });
}

function balanceOf(account: Account, read: AccountReader): Omit<TokenBalance, 'accountIndex'> | undefined {
  if (!isTokenProgram(account.owner)) return undefined;
  const token = unpackTokenAccount(account.data);
  if (token === undefined) return undefined;
  const mintAccount = read(token.mint);
  if (mintAccount === undefined || Buffer.compare(mintAccount.owner, account.owner) !== 0) return undefined;
  const mint = unpackMint(mintAccount.data);
  if (mint === undefined) return undefined;
  return {
    mint: toBase58(token.mint),
    owner: toBase58(token.owner),
    programId: toBase58(account.owner),
    uiTokenAmount: plainTokenAmount(token.amount, mint.decimals),
  };
}
