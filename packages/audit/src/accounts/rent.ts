import { ask, type ReadLedger } from '@legwork/program-client/history';
import { patiently } from '../ledger.js';

/** The rent of accounts on this ledger. */
export interface Rent {
  /** What an account of so many bytes has to hold, in lamports. */
  minimumFor: (bytes: number) => bigint;
}

/** Reads the rent, which grows by the same for every byte. */
export async function readRent({ rpc }: ReadLedger): Promise<Rent> {
  const [empty, one] = await Promise.all(
    [0n, 1n].map((bytes) => patiently(() => ask(rpc.getMinimumBalanceForRentExemption(bytes)))),
  );
  if (empty === undefined || one === undefined) throw new Error('two sizes have two rents');
  return { minimumFor: (bytes) => empty + (one - empty) * BigInt(bytes) };
}
