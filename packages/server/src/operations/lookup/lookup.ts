import { MAX_LOOKUP_MATCHES, type operations, readLookup } from '@legwork/protocol/contract';
import { lookUpAddress, lookUpIdEnd, lookUpTransaction } from '../../db/lookup.js';
import type { Run } from '../run.js';

export const lookup: Run<typeof operations.lookup> = async ({ db }, { text }) => {
  const { idEnd, address, signature } = readLookup(text);
  const found = await Promise.all([
    idEnd === undefined ? [] : lookUpIdEnd(db, idEnd),
    address === undefined ? [] : lookUpAddress(db, address),
    signature === undefined ? [] : lookUpTransaction(db, signature),
  ]);
  return { answer: { matches: found.flat().slice(0, MAX_LOOKUP_MATCHES) } };
};
