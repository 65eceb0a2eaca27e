import type { RpcMethods } from '../context.js';
import { accountMethods } from './accounts.js';
import { airdropMethods } from './airdrop.js';
import { blockhashMethods } from './blockhashes.js';
import { blockMethods } from './blocks.js';
import { clusterMethods } from './cluster.js';
import { leaderMethods } from './leaders.js';
import { nodeMethods } from './node.js';
import { sendTransactionMethods } from './sendTransaction.js';
import { signatureStatusMethods } from './signatureStatuses.js';
import { simulateTransactionMethods } from './simulateTransaction.js';
import { supplyMethods } from './supply.js';
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
      ...blockMethods,
      ...clusterMethods,
      ...leaderMethods,
      ...nodeMethods,
      ...sendTransactionMethods,
      ...signatureStatusMethods,
      ...simulateTransactionMethods,
      ...supplyMethods,
      ...timeMethods,
      ...tokenMethods,
      ...transactionMethods,
      ...(testing ? testingMethods : refusedTestingMethods),
    }),
  );
}
