import type { RpcMethods } from '../context.js';
import { accountMethods } from './accounts.js';
import { airdropMethods, sendTransactionMethods, simulateTransactionMethods } from './sending.js';
import { blockhashMethods, clusterMethods, nodeMethods, timeMethods } from './cluster.js';
import { blockMethods } from './blocks.js';
import { leaderMethods } from './leaders.js';
import { signatureStatusMethods, transactionMethods } from './transactions.js';
import { supplyMethods } from './supply.js';
import { refusedTestingMethods, testingMethods } from './testing.js';
import { traceMethods } from './trace.js';
import { tokenMethods } from './tokens.js';
import { voteMethods } from './votes.js';

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
      ...traceMethods,
      ...transactionMethods,
      ...voteMethods,
      ...(testing ? testingMethods : refusedTestingMethods),
    }),
  );
}
