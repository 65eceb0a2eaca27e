import { RENT_EXEMPT_EPOCH, SYSTEM_PROGRAM, type Account } from '../../../bank/account.js';
import type { RpcMethod } from '../../context.js';
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
import { isGiven, setAccounts } from './setAccounts.js';

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
