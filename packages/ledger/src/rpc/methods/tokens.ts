import type { FoundAccount } from '../../bank/accounts.js';
import type { Trait } from '../../bank/accountIndex.js';
import type { Commitment } from '../../bank/commitment.js';
import { keyOf, toBase58 } from '../../bank/keys.js';
import { isTokenProgram, NATIVE_MINT, TOKEN_PROGRAM, unpackMint, unpackTokenAccount } from '../../bank/token.js';
import { accountViewParam, encodeAccountList } from '../accountEncoding.js';
import { readCommitment, withContext, type RpcContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, configParam } from '../params.js';
import { mintScalesAt, NATIVE_SCALE, scaleOf, type MintScale } from '../parsed/accounts/mintScale.js';
import { invalidParams } from '../rpcError.js';

const MAX_LARGEST = 20;

const getTokenAccountBalance: RpcMethod = (params, context) => {
  const address = addressParam(params[0]);
  const commitment = readCommitment(configParam(params[1]), context);
  const account = context.bank.account(address, commitment);
  if (account === undefined) throw invalidParams('Invalid param: could not find account');
  const token = isTokenProgram(account.owner) ? unpackTokenAccount(account.data) : undefined;
  if (token === undefined) throw invalidParams('Invalid param: not a Token account');
  const { scale } = findMint(token.mint, commitment, context);
  return withContext(context.bank, commitment, scale(token.amount));
};

const getTokenSupply: RpcMethod = (params, context) => {
  const address = addressParam(params[0]);
  const commitment = readCommitment(configParam(params[1]), context);
  const account = context.bank.account(address, commitment);
  if (account === undefined) throw invalidParams('Invalid param: could not find account');
  if (!isTokenProgram(account.owner)) throw invalidParams('Invalid param: not a Token mint');
  const mint = unpackMint(account.data);
  if (mint === undefined) throw invalidParams('Invalid param: mint could not be unpacked');
  const scale = scaleOf(mint, unixTimeAt(commitment, context));
  return withContext(context.bank, commitment, scale(mint.supply));
};

/** The 20 accounts with most of a token; of equal ones those with the higher address first, as on a cluster. */
const getTokenLargestAccounts: RpcMethod = (params, context) => {
  const address = addressParam(params[0]);
  const commitment = readCommitment(configParam(params[1]), context);
  const { program, scale } = findTokenMint(address, commitment, context);
  const holders = findTokens('mint', address, program, commitment, context).map((found) => ({
    address: found.address,
    amount: unpackTokenAccount(found.account.data)?.amount ?? 0n,
  }));
  holders.sort((one, other) =>
    one.amount === other.amount
      ? Buffer.compare(other.address, one.address)
      : Number(other.amount > one.amount) * 2 - 1,
  );
  const largest = holders.slice(0, MAX_LARGEST);
  const shown = largest.map((holder) => ({ address: toBase58(holder.address), ...scale(holder.amount) }));
  return withContext(context.bank, commitment, shown);
};

/** The token accounts of an owner or a delegate, of one mint or of one token program. */
function tokenAccountsBy(trait: 'tokenOwner' | 'delegate'): RpcMethod {
  return (params, context) => {
    const holder = addressParam(params[0]);
    const filter = tokenFilterParam(params[1]);
    const config = configParam(params[2]);
    const view = accountViewParam(config);
    const commitment = readCommitment(config, context);
    const program = 'mint' in filter ? findTokenMint(filter.mint, commitment, context).program : filter.programId;
    const found = findTokens(trait, holder, program, commitment, context);
    const wanted = 'mint' in filter ? keyOf(filter.mint) : undefined;
    const matching = found.filter(
      ({ account }) => wanted === undefined || keyOf(account.data.subarray(0, 32)) === wanted,
    );
    const list = encodeAccountList(matching, view, mintScalesAt(context.bank, commitment));
    return withContext(context.bank, commitment, list);
  };
}

type TokenFilter = { readonly mint: Uint8Array } | { readonly programId: Uint8Array };

function tokenFilterParam(value: unknown): TokenFilter {
  const filter = configParam(value, 'filter');
  const [name] = Object.keys(filter);
  if (name === 'mint') return { mint: addressParam(filter['mint']) };
  if (name !== 'programId') throw invalidParams('Invalid params: the filter should have a `mint` or a `programId`.');
  const programId = addressParam(filter['programId']);
  if (!isTokenProgram(programId)) throw invalidParams('Invalid param: unrecognized Token program id');
  return { programId };
}

function findTokens(
  trait: Trait,
  value: Uint8Array,
  program: Uint8Array,
  commitment: Commitment,
  { bank }: RpcContext,
): FoundAccount[] {
  const found = [...bank.find(trait, value, commitment)];
  return found.filter(({ account }) => Buffer.compare(account.owner, program) === 0);
}

type FoundMint = { readonly program: Uint8Array; readonly scale: MintScale };

function findMint(address: Uint8Array, commitment: Commitment, context: RpcContext): FoundMint {
  if (Buffer.compare(address, NATIVE_MINT) === 0) return { program: TOKEN_PROGRAM, scale: NATIVE_SCALE };
  const account = context.bank.account(address, commitment);
  if (account === undefined) throw invalidParams('Invalid param: could not find mint');
  const mint = unpackMint(account.data);
  if (mint === undefined) throw invalidParams('Invalid param: Token mint could not be unpacked');
  return { program: account.owner, scale: scaleOf(mint, unixTimeAt(commitment, context)) };
}

/** @throws RpcError when a program other than the token programs owns it */
function findTokenMint(address: Uint8Array, commitment: Commitment, context: RpcContext): FoundMint {
  const mint = findMint(address, commitment, context);
  if (!isTokenProgram(mint.program)) throw invalidParams('Invalid param: not a Token mint');
  return mint;
}

function unixTimeAt(commitment: Commitment, { bank }: RpcContext): number {
  return bank.blockTime(bank.slotAt(commitment));
}

/** Agave's methods about tokens. Rules L-43 and L-44. */
export const tokenMethods: RpcMethods = {
  getTokenAccountBalance,
  getTokenAccountsByDelegate: tokenAccountsBy('delegate'),
  getTokenAccountsByOwner: tokenAccountsBy('tokenOwner'),
  getTokenLargestAccounts,
  getTokenSupply,
};
