import { setTimeout as sleep } from 'node:timers/promises';
import { createSolanaRpcSubscriptions } from '@solana/kit';
import type { AppContext } from '../context.js';

/** Pauses before connecting to the ledger's hints again. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

type Hearing = Pick<AppContext, 'config' | 'landing' | 'ledger' | 'log'>;

/** The ledger's hints, heard while they are wanted. */
export class Hints {
  readonly #context: Hearing;
  readonly #onHint: () => void;
  #heard: { ending: AbortController; end: Promise<void> } | undefined;

  constructor(context: Hearing, onHint: () => void) {
    this.#context = context;
    this.#onHint = onHint;
  }

  /** Hears them from now on, or no longer. */
  listen(areWanted: boolean): void {
    if (areWanted === (this.#heard !== undefined)) return;
    if (areWanted) {
      const ending = new AbortController();
      this.#heard = { ending, end: followHints(this.#context, this.#onHint, ending.signal) };
    } else void this.stop();
  }

  async stop(): Promise<void> {
    const heard = this.#heard;
    this.#heard = undefined;
    heard?.ending.abort();
    await heard?.end;
  }
}

/**
 * Calls `onHint` whenever the ledger says over its WebSocket that a transaction named the program, and after each
 * connection, until `ended`. It reconnects forever and quietly: polling finds what is missed meanwhile. What the
 * ledger says only the signature is read: anybody can log anything.
 */
export async function followHints(
  { config, landing, ledger, log }: Hearing,
  onHint: () => void,
  ended: AbortSignal,
): Promise<void> {
  const subscriptions = createSolanaRpcSubscriptions(config.rpcSubscriptionsUrl);
  let pauseMs = FIRST_PAUSE_MS;
  while (!ended.aborted) {
    // Of its own: what listens for the end of a connection ends with it.
    const connection = new AbortController();
    const end = () => connection.abort();
    ended.addEventListener('abort', end);
    try {
      const hints = await subscriptions
        .logsNotifications({ mentions: [ledger.programAddress] }, { commitment: 'confirmed' })
        .subscribe({ abortSignal: connection.signal });
      pauseMs = FIRST_PAUSE_MS;
      onHint();
      // A transaction that is landing here is mirrored here.
      for await (const { value } of hints) if (!landing.has(value.signature)) onHint();
    } catch {
      // Not logged: the text of an error may hold the address with a key in it.
    } finally {
      ended.removeEventListener('abort', end);
      end();
    }
    if (ended.aborted) return;
    log.debug({ pauseMs }, "the ledger's hints have ended; polling goes on");
    await sleep(pauseMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}
