import type { Bank } from '../../../bank/bank.js';
import { withContext, type RpcMethod } from '../../context.js';
import { requireParams, sizeParam } from '../../params.js';
import { invalidParams } from '../../rpcError.js';

const MAX_SNAPSHOTS = 1000;

/** Takes a snapshot of all accounts and answers its number. */
export const snapshot: RpcMethod = (_params, { bank }) => {
  if (bank.edits.snapshots.length >= MAX_SNAPSHOTS) {
    throw invalidParams(`Invalid params: there are ${MAX_SNAPSHOTS} snapshots; go back to one of them first.`);
  }
  return bank.edits.takeSnapshot();
};

/** Puts all accounts back to what they were at a snapshot. Rule L-82. */
export const restore: RpcMethod = (params, { bank }) => {
  requireParams(params, 1);
  const id = sizeParam(params[0], 'snapshot');
  if (!bank.edits.restore(id))
    throw invalidParams(`Invalid params: there is no snapshot ${id}, only ${bank.edits.snapshots.join(', ')}.`);
  return withContext(bank, 'processed', null);
};

/** Puts all accounts back to what they were when the ledger was first started for tests. */
export const reset: RpcMethod = (_params, { bank }) => {
  bank.edits.restore(firstOf(bank));
  return withContext(bank, 'processed', null);
};

function firstOf(bank: Bank): number {
  const [first] = bank.edits.snapshots;
  if (first === undefined) throw new Error('a ledger for tests has a first snapshot');
  return first;
}
