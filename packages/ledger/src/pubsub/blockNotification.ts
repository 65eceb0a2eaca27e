import type { Bank } from '../bank/bank.js';
import { encodeJson } from '../json.js';
import { encodeBlock, type BlockView } from '../rpc/blockEncoding.js';
import { UnsupportedVersionError } from '../rpc/transactionEncoding.js';
import type { Store } from '../store/store.js';

/** Which blocks a subscriber wants to see, and how. */
export type BlockInterest = {
  readonly kind: 'block';
  readonly commitment: 'confirmed' | 'finalized';
  /** Only transactions that name this address, and only blocks that have any. */
  readonly mention: Uint8Array | undefined;
  readonly view: BlockView;
};

/** What a subscriber is told of a block, as JSON text; undefined when it has nothing that the subscriber wants. */
export async function blockNotification(
  slot: number,
  { mention, view }: BlockInterest,
  from: { readonly bank: Bank; readonly store: Store },
): Promise<string | undefined> {
  const places = view.details === 'none' && mention === undefined ? [] : from.store.placesIn(slot, mention);
  if (mention !== undefined && places.length === 0) return undefined;
  const value = await encodeBlock(slot, places, view, from).then(
    (block) => ({ block, err: null, slot }),
    (error: unknown) => {
      if (!(error instanceof UnsupportedVersionError)) throw error;
      return { block: null, err: { UnsupportedTransactionVersion: error.version }, slot };
    },
  );
  return encodeJson({ context: { slot }, value });
}
