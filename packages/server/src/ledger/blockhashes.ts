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

/** Another one than this, as soon as there is a block. @throws RelayError `ledger_unavailable` when none comes in five seconds */
export async function otherThan({ latest }: Blockhashes, blockhash: string): Promise<Lifetime> {
  for (let tries = 0; tries < NEXT_BLOCK_TRIES; tries += 1) {
    const lifetime = await latest();
    if (lifetime.blockhash !== blockhash) return lifetime;
    await sleep(NEXT_BLOCK_MS);
  }
  throw new RelayError('ledger_unavailable', 'The ledger makes no blocks; try again in a moment.');
}
