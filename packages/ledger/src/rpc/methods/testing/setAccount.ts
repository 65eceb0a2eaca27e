import { RENT_EXEMPT_EPOCH, SYSTEM_PROGRAM, type Account } from '../../../bank/account.js';
import { type RpcMethod, withContext, type RpcContext } from '../../context.js';
import {
  addressParam,
  booleanParam,
  configParam,
  requireParams,
  stringParam,
  u64Param,
  type Config,
} from '../../params.js';
import { invalidParams } from '../../rpcError.js';
import type { AddressedAccount } from '../../../bank/accounts.js';
import { UnfitAccountError } from '../../../bank/engine.js';
import { toBase58 } from '../../../bank/keys.js';
import { whyOwn, codeAddressOf, withAuthority } from '../../../bank/programs.js';

/** The largest account that a cluster has, in bytes. */
const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;

const NEW: Account = {
  lamports: 0n,
  data: new Uint8Array(),
  owner: SYSTEM_PROGRAM,
  executable: false,
  rentEpoch: RENT_EXEMPT_EPOCH,
};

/**
 * Surfpool's `surfnet_setAccount`: sets the given fields of an account, `data` in hex; the others stay. A new one gets the
 * rent-exempt minimum unless told otherwise; without lamports it is removed. Rule L-75.
 */
export const setAccount: RpcMethod = (params, context) => {
  requireParams(params, 2);
  const address = addressParam(params[0]);
  const update = readUpdate(configParam(params[1], 'update'));
  const known = context.bank.account(address, 'processed');
  const account = { ...(known ?? NEW), ...update };
  const minimum = (): bigint => context.bank.engine.rentExemptMinimum(BigInt(account.data.length));
  const lamports = known === undefined && update.lamports === undefined ? minimum() : account.lamports;
  return setAccounts([{ address, account: lamports === 0n ? undefined : { ...account, lamports } }], context);
};

function readUpdate({ lamports, data, owner, executable, rentEpoch }: Config): Partial<Account> {
  return {
    ...(isGiven(lamports) && { lamports: u64Param(lamports, 'lamports') }),
    ...(isGiven(data) && { data: hexParam(data, 'data') }),
    ...(isGiven(owner) && { owner: addressParam(owner) }),
    ...(isGiven(executable) && { executable: booleanParam(executable, 'executable') }),
    ...(isGiven(rentEpoch) && { rentEpoch: u64Param(rentEpoch, 'rentEpoch') }),
  };
}

function hexParam(value: unknown, name: string): Uint8Array {
  const text = stringParam(value, name);
  if (text.length > 2 * MAX_ACCOUNT_BYTES) {
    throw invalidParams(`Invalid params: ${name} has ${text.length / 2} bytes, expected at most ${MAX_ACCOUNT_BYTES}.`);
  }
  const bytes = Buffer.from(text, 'hex');
  if (bytes.length * 2 !== text.length) {
    throw invalidParams(`Invalid hex data provided: ${name} is not an even number of digits from 0 to f.`);
  }
  return bytes;
}

/** Sets accounts, and answers as Surfpool does. @throws RpcError when one may not be set: then none is */
export function setAccounts(accounts: readonly AddressedAccount[], { bank, fork }: RpcContext): object {
  for (const { address, account } of accounts) {
    const own = whyOwn(address, bank.account(address, 'processed')) ?? whyOwn(address, account);
    if (own !== undefined) {
      throw invalidParams(`Invalid params: ${toBase58(address)} is ${own}, which the ledger alone sets.`);
    }
  }
  try {
    bank.edits.set(accounts);
  } catch (error) {
    if (error instanceof UnfitAccountError) throw invalidParams(`Invalid params: ${error.message}`);
    throw error;
  }
  fork?.leaveEmpty(accounts.filter(({ account }) => account === undefined).map(({ address }) => address));
  return withContext(bank, 'processed', null);
}

/** Reports whether a field of a call is there; null counts as left out. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Surfpool's `surfnet_resetAccount`: removes an account, with its code if it is a program, and with all that it owns if
 * `includeOwnedAccounts` says so; on a fork they become again what they are on the other cluster.
 */
export const resetAccount: RpcMethod = async (params, context) => {
  requireParams(params, 1);
  const { bank } = context;
  const address = addressParam(params[0]);
  const withOwned = booleanParam(configParam(params[1])['includeOwnedAccounts'], 'includeOwnedAccounts');
  const code = codeAddressOf(bank.account(address, 'processed'));
  const owned = withOwned ? [...bank.find('program', address, 'processed')].map((one) => one.address) : [];
  const gone = [address, ...(code === undefined ? [] : [code]), ...owned];
  const before = (await context.fork?.read(gone)) ?? gone.map((one) => ({ address: one, account: undefined }));
  return setAccounts(before, context);
};

/** Surfpool's `surfnet_setProgramAuthority`: sets who may upgrade a program; without a second parameter nobody may. */
export const setProgramAuthority: RpcMethod = async (params, context) => {
  requireParams(params, 1);
  const { bank } = context;
  const program = addressParam(params[0]);
  const authority = isGiven(params[1]) ? addressParam(params[1]) : undefined;
  await context.fork?.bring([program]);
  const address = codeAddressOf(bank.account(program, 'processed'));
  const code = address && withAuthority(bank.account(address, 'processed'), authority);
  if (address === undefined || code === undefined) {
    throw invalidParams(`Invalid params: ${toBase58(program)} is no upgradeable program.`);
  }
  return setAccounts([{ address, account: code }], context);
};
