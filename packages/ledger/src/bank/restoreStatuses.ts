import type { Store } from '../store/store.js';
import type { Position } from '../store/records.js';
import { namesOf, type StatusCache } from './statusCache.js';
import { parseTransaction } from './wire.js';

/** Transactions to read in one turn of the event loop: some 20 ms. */
const PART = 2_000;

/**
 * Reads into a cache what landed before the ledger started, from a slot on. The first part at once; the rest bit by bit, so that a
 * ledger with many transactions starts meanwhile.
 *
 * @returns resolves when everything is there; undefined when it is already
 */
export function restoreStatuses(statuses: StatusCache, store: Store, slot: number): Promise<void> | undefined {
  const last = store.latest();
  if (last === undefined) return undefined;
  const next = readPart(statuses, store, { slot, index: 0 }, last);
  return next === undefined ? undefined : readRest(statuses, store, next, last);
}

async function readRest(statuses: StatusCache, store: Store, from: Position, last: Position): Promise<void> {
  for (let next: Position | undefined = from; next !== undefined; ) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    next = readPart(statuses, store, next, last);
  }
}

/** @returns where the next part begins; undefined at the end */
function readPart(statuses: StatusCache, store: Store, from: Position, last: Position): Position | undefined {
  let next: Position | undefined;
  for (const { slot, index, wire, err } of store.transactionsSince(from, PART)) {
    if (slot > last.slot || (slot === last.slot && index > last.index)) return undefined;
    statuses.add(namesOf(parseTransaction(wire)), { slot, err });
    next = { slot, index: index + 1 };
  }
  return next;
}
