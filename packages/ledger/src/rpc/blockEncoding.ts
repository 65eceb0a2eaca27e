import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bank } from '../bank/bank.js';
import { toBase58 } from '../bank/keys.js';
import { encodeJson, RawJson } from '../json.js';
import type { Store } from '../store/store.js';
import { encodingParam, maxVersionParam } from './historyParams.js';
import { booleanParam, oneOf, type Config } from './params.js';
import { encodeTransaction, type TransactionEncoding, type TransactionView } from './transactionEncoding.js';

const DETAILS = ['full', 'signatures', 'none', 'accounts'] as const;

/** How a call wants blocks. */
export type BlockView = Pick<TransactionView, 'encoding' | 'maxVersion' | 'rewards'> & {
  readonly details: (typeof DETAILS)[number];
};

/** Transactions to encode before others get their turn. */
const TRANSACTIONS_A_TURN = 32;

export function blockViewParam(config: Config, rewardsName: string, fallback: TransactionEncoding): BlockView {
  return {
    encoding: encodingParam(config, fallback),
    details: oneOf(config['transactionDetails'], 'transactionDetails', DETAILS, 'full'),
    maxVersion: maxVersionParam(config),
    rewards: booleanParam(config[rewardsName], rewardsName, true),
  };
}

/**
 * A block that is complete and on disk, with the given transactions of it. Fees are burned and nothing is staked, so
 * its rewards are empty. Rule L-51.
 *
 * @throws UnsupportedVersionError
 */
export async function encodeBlock(
  slot: number,
  signatures: readonly Uint8Array[],
  view: BlockView,
  { bank, store }: { readonly bank: Bank; readonly store: Store },
): Promise<object> {
  // The first block is its own parent.
  const parent = Math.max(0, slot - 1);
  return {
    blockHeight: slot,
    blockTime: bank.blockTime(slot),
    blockhash: bank.blockhashAt(slot),
    parentSlot: parent,
    previousBlockhash: bank.blockhashAt(parent),
    rewards: view.rewards ? [] : undefined,
    signatures: view.details === 'signatures' ? signatures.map(toBase58) : undefined,
    transactions: await encodeTransactions(signatures, view, store),
  };
}

async function encodeTransactions(
  signatures: readonly Uint8Array[],
  { details, ...view }: BlockView,
  store: Store,
): Promise<RawJson[] | undefined> {
  if (details !== 'full' && details !== 'accounts') return undefined;
  const encoded: RawJson[] = [];
  for (const signature of signatures) {
    const record = store.transaction(signature);
    if (record === undefined) continue;
    encoded.push(new RawJson(encodeJson(encodeTransaction(record, { ...view, details }))));
    if (encoded.length % TRANSACTIONS_A_TURN === 0) await nextTurn();
  }
  return encoded;
}
