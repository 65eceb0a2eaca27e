import type { RpcMethods } from '../context.js';
import { accountMethods } from './accounts.js';
import { airdropMethods } from './airdrop.js';
import { blockhashMethods } from './blockhashes.js';
import { nodeMethods } from './node.js';
import { sendTransactionMethods } from './sendTransaction.js';
import { signatureStatusMethods } from './signatureStatuses.js';
import { simulateTransactionMethods } from './simulateTransaction.js';
import { refusedTestingMethods, testingMethods } from './testing.js';
import { timeMethods } from './time.js';
import { tokenMethods } from './tokens.js';
import { transactionMethods } from './transactions.js';

/** The ledger's JSON-RPC methods by name. */
export function allMethods(testing: boolean): ReadonlyMap<string, RpcMethods[string]> {
  return new Map(
    Object.entries({
      ...accountMethods,
      ...airdropMethods,
      ...blockhashMethods,
      ...nodeMethods,
      ...sendTransactionMethods,
      ...signatureStatusMethods,
      ...simulateTransactionMethods,
      ...timeMethods,
      ...tokenMethods,
      ...transactionMethods,
      ...(testing ? testingMethods : refusedTestingMethods),
    }),
  );
}
