import type { Account } from '../bank/account.js';
import { extendedAtGenesis } from '../bank/accountKeys.js';
import type { Bank } from '../bank/bank.js';
import { fromBase58, keyOf } from '../bank/keys.js';
import { nonceHashOf, renewNonce } from '../bank/nonces.js';
import { whyOwn } from '../bank/ownAccounts.js';
import { codeAddressOf, deployedAtGenesis, isCode } from '../bank/programs.js';
import { isTokenProgram, looksLikeTokenAccount } from '../bank/token.js';

const LOOKUP_TABLES = keyOf(fromBase58('AddressLookupTab1e1111111111111111111111111'));

/** What a cluster keeps of itself, by owner. */
const OF_THE_CLUSTER = new Map(
  [
    ['Vote111111111111111111111111111111111111111', 'a vote account'],
    ['Stake11111111111111111111111111111111111111', 'a stake account'],
    ['Feature111111111111111111111111111111111111', 'a feature'],
  ].map(([owner = '', what = '']) => [keyOf(fromBase58(owner)), what]),
);

/** Why an account of another cluster is never taken over: it tells of that cluster; undefined: it may be. */
export function whyNotTaken(address: Uint8Array, account: Account): string | undefined {
  return whyOwn(address, account) ?? OF_THE_CLUSTER.get(keyOf(account.owner));
}

/**
 * An account of another cluster as it serves here, where slots are younger: code and lookup tables count from slot 0. A nonce gets
 * another hash, so that no transaction signed here can land there. Rule L-80.
 */
export function adapt(account: Account, bank: Bank): Account {
  if (isCode(account)) return deployedAtGenesis(account);
  if (keyOf(account.owner) === LOOKUP_TABLES) return extendedAtGenesis(account);
  return renewNonce(account, nonceHashOf(fromBase58(bank.latestBlockhash('processed').blockhash)));
}

/** What an account is of no use without: the code of a program, the mint of tokens. */
export function companionOf(account: Account): Uint8Array | undefined {
  const isToken = isTokenProgram(account.owner) && looksLikeTokenAccount(account.data);
  return isToken ? account.data.subarray(0, 32) : codeAddressOf(account);
}
