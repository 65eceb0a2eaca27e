import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type LedgerRpc } from '@legwork/program-client/history';
import { RelayError } from '@legwork/protocol/contract';
import type { Blockhash } from '@solana/kit';
import { keep, type Kept } from './kept.js';

/** A blockhash, and the last block height at which a transaction on it can land. */
export interface Lifetime {
  blockhash: Blockhash;
  lastValidBlockHeight: bigint;
}

/** A blockhash lives for about a minute. This much of it the service's own transactions can do without. Rule S-103. */
const KEPT_MS = 2_000;
const NEXT_BLOCK_MS = 200;
const NEXT_BLOCK_TRIES = 25;

/** The ledger's latest blockhashes, one of them kept for a moment. */
export type Blockhashes = Kept<Lifetime>;

export function keepBlockhashes(rpc: LedgerRpc): Blockhashes {
  return keep(async () => (await ask(rpc.getLatestBlockhash({ commitment: 'confirmed' }))).value, KEPT_MS);
}

/** A final blockhash is about 32 blocks old. One that is older by more, where nothing becomes final, would leave too little time to sign. */
const MOST_BEHIND = 75n;

/**
 * For a transaction that somebody else sends: the latest final one, because clients that are told nothing ask for a preflight against what is
 * final, and a node does not know a later one there.
 *
 * @throws RelayError `ledger_unavailable`
 */
export async function forWallets(rpc: LedgerRpc, { latest }: Blockhashes): Promise<Lifetime> {
  const [{ value: final }, newest] = await Promise.all([
    ask(rpc.getLatestBlockhash({ commitment: 'finalized' })),
    latest(),
  ]);
  return newest.lastValidBlockHeight - final.lastValidBlockHeight > MOST_BEHIND ? newest : final;
}

/** Another one than this, as soon as there is a block. @throws RelayError `ledger_unavailable` when none comes in five seconds */
export async function otherThan({ latest }: Blockhashes, blockhash: string): Promise<Lifetime> {
  for (let tries = 0; tries < NEXT_BLOCK_TRIES; tries += 1) {
    const lifetime = await latest();
    if (lifetime.blockhash !== blockhash) return lifetime;
    await sleep(NEXT_BLOCK_MS);
  }
  throw new RelayError('ledger_unavailable', 'The ledger makes no blocks; try again in a moment.');
}
