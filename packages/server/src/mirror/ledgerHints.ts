import { setTimeout as sleep } from 'node:timers/promises';
import { createSolanaRpcSubscriptions } from '@solana/kit';
import type { AppContext } from '../context.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Calls `onHint` whenever the ledger says over its WebSocket that a transaction named the program, and after each
 * connection, until `ended`. It reconnects for ever and quietly: what is missed meanwhile, polling finds. What the
 * ledger says is not read: anybody can log anything.
 */
export async function followHints(
  { config, ledger, log }: Pick<AppContext, 'config' | 'ledger' | 'log'>,
  onHint: () => void,
  ended: AbortSignal,
): Promise<void> {
  const subscriptions = createSolanaRpcSubscriptions(config.rpcSubscriptionsUrl);
  let pauseMs = FIRST_PAUSE_MS;
  while (!ended.aborted) {
    try {
      const hints = await subscriptions
        .logsNotifications({ mentions: [ledger.programAddress] }, { commitment: 'confirmed' })
        .subscribe({ abortSignal: ended });
      pauseMs = FIRST_PAUSE_MS;
      onHint();
      for await (const _ of hints) onHint();
    } catch {
      // Whatever it was, its text may hold the address with a key in it.
    }
    if (ended.aborted) return;
    log.debug({ pauseMs }, "the ledger's hints have ended; polling goes on");
    await sleep(pauseMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}
