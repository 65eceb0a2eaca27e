import { codeAddressOf } from '../../../bank/programs.js';
import type { RpcMethod } from '../../context.js';
import { addressParam, booleanParam, configParam, requireParams } from '../../params.js';
import { setAccounts } from './setAccounts.js';

/**
 * Surfpool's `surfnet_resetAccount`: removes an account, with its code if it is a program, and with all that it owns if
 * `includeOwnedAccounts` says so; on a fork they become again what they are on the other cluster. Rule L-75.
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
