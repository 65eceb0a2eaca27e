import type { AddressedAccount } from '../../../bank/accounts.js';
import { UnfitAccountError } from '../../../bank/engine.js';
import { toBase58 } from '../../../bank/keys.js';
import { whyOwn } from '../../../bank/ownAccounts.js';
import { withContext, type RpcContext } from '../../context.js';
import { invalidParams } from '../../rpcError.js';

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

/** Whether a field of a call is there; null counts as left out. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
