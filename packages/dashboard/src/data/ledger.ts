import type { TransactionTrace } from '@legwork/program-client/history';
import type { LedgerTransaction } from '../checks/ledgerTransaction.js';
import type { LedgerAccount, Node } from './node.js';
import { service } from './service.js';
import { shell } from './shell.js';

/**
 * The ledger, asked by this browser at the RPC that `/config` names; its code comes with the first question. Each of these
 * throws an Error in words for people when the node cannot be reached or does not answer.
 */
async function node(): Promise<Node> {
  const [config, { openNode }] = await Promise.all([shell?.config ?? service.getConfig(), import('./node.js')]);
  return openNode(config);
}

/** A confirmed transaction; undefined when the ledger shows none. */
export async function readTransaction(signature: string): Promise<LedgerTransaction | undefined> {
  return (await node()).transaction(signature);
}

/** What a transaction changed, where the ledger tells; undefined where it does not. */
export async function readTrace(signature: string): Promise<TransactionTrace | undefined> {
  return (await node()).trace(signature);
}

/** How sure a transaction is; undefined when the ledger does not know it. */
export async function readFinality(signature: string): Promise<'processed' | 'confirmed' | 'finalized' | undefined> {
  return (await node()).finality(signature);
}

/** An account as it is now, confirmed; undefined when there is none. */
export async function readAccount(address: string): Promise<LedgerAccount | undefined> {
  return (await node()).account(address);
}

/** The RPC itself, for the SDK's functions that take one, and the program whose ledger it is. */
export async function ledgerRpc(): Promise<Pick<Node, 'rpc' | 'programId'>> {
  return node();
}
