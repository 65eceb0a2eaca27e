import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bank } from '../bank/bank.js';
import { toBase58 } from '../bank/keys.js';
import { parseTransaction, signatureOf } from '../bank/wire.js';
import { encodeJson, RawJson } from '../json.js';
import type { Store } from '../store/store.js';
import { encodingParam, maxVersionParam, booleanParam, oneOf, type Config } from './params.js';
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
 * A block that is complete and on disk, with the given transactions of it. Fees are burned, so its leader has
 * no reward. Rule L-51.
 *
 * @throws UnsupportedVersionError
 */
export async function encodeBlock(
  slot: number,
  places: readonly number[],
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
    ...(view.rewards ? rewardsIn(slot, Number(bank.engine.slotsPerEpoch), store) : {}),
    ...(await encodeTransactions(slot, places, view, store)),
  };
}

/**
 * Stakers are paid in the first two blocks of the epoch after: vote accounts, then the stakes, all in one
 * part.
 */
function rewardsIn(slot: number, slotsPerEpoch: number, store: Store): object {
  const epoch = Math.floor(slot / slotsPerEpoch) - 1;
  const [kind, rewardType] =
    (
      [
        ['votes', 'Voting'],
        ['stakes', 'Staking'],
      ] as const
    )[slot % slotsPerEpoch] ?? [];
  if (kind === undefined || epoch < 0) return { rewards: [] };
  const rewards = (store.rewards(epoch)?.[kind] ?? []).map(({ address, lamports, balance }) => ({
    commission: null,
    lamports,
    postBalance: balance,
    pubkey: toBase58(address),
    rewardType,
  }));
  return kind === 'votes' ? { numRewardPartitions: 1, rewards } : { rewards };
}

async function encodeTransactions(
  slot: number,
  places: readonly number[],
  { details, ...view }: BlockView,
  store: Store,
): Promise<{ readonly signatures?: RawJson[]; readonly transactions?: RawJson[] }> {
  if (details === 'none') return {};
  const encoded: RawJson[] = [];
  for (const index of places) {
    const record = store.transactionAt({ slot, index });
    if (record === undefined) continue;
    const shown =
      details === 'signatures'
        ? toBase58(signatureOf(parseTransaction(record.wire)))
        : encodeTransaction(record, { ...view, details });
    encoded.push(new RawJson(encodeJson(shown)));
    if (encoded.length % TRANSACTIONS_A_TURN === 0) await nextTurn();
  }
  return details === 'signatures' ? { signatures: encoded } : { transactions: encoded };
}
