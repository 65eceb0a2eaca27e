import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type LedgerRpc } from '@legwork/program-client/history';
import { RelayError } from '@legwork/protocol/contract';
import type { Blockhash } from '@solana/kit';

/** A blockhash, and the last block height at which a transaction on it can land. */
export interface Lifetime {
  blockhash: Blockhash;
  lastValidBlockHeight: bigint;
}

/** A blockhash lives for about a minute. This much of it the service's own transactions can do without. */
const KEPT_MS = 2_000;
/** From this age on it is read again beside its use, so that steady work never waits for one. */
const AGEING_MS = 1_000;
const NEXT_BLOCK_MS = 200;
const NEXT_BLOCK_TRIES = 25;

/** The ledger's latest blockhashes, one of them kept for a moment. Nothing is read while nobody asks. Rule S-103. */
export interface Blockhashes {
  /** Says that one will be needed soon. Waits for nothing; if it cannot be read, who needs it will hear. */
  warm: () => void;
  /** One of the last two seconds. @throws RelayError `ledger_unavailable` */
  recent: () => Promise<Lifetime>;
  /** The latest. @throws RelayError `ledger_unavailable` */
  latest: () => Promise<Lifetime>;
}

/** Both clocks, because either may stand still: one while the machine sleeps, the other when it is set. */
const instant = () => ({ monotonic: performance.now(), wall: Date.now() });

export function keepBlockhashes(rpc: LedgerRpc): Blockhashes {
  let kept: { lifetime: Lifetime; since: ReturnType<typeof instant> } | undefined;
  let reading: Promise<Lifetime> | undefined;

  function age(): number {
    if (kept === undefined) return Infinity;
    const { monotonic, wall } = instant();
    return Math.max(monotonic - kept.since.monotonic, wall - kept.since.wall);
  }

  async function latest(): Promise<Lifetime> {
    const since = instant();
    const { value: lifetime } = await ask(rpc.getLatestBlockhash({ commitment: 'confirmed' }));
    if (kept === undefined || since.monotonic >= kept.since.monotonic) kept = { lifetime, since };
    return lifetime;
  }

  function read(): Promise<Lifetime> {
    reading ??= latest().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  function warm(): void {
    if (age() > AGEING_MS) read().catch(() => undefined);
  }

  return {
    warm,
    latest,
    async recent() {
      if (kept === undefined || age() > KEPT_MS) return read();
      warm();
      return kept.lifetime;
    },
  };
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
