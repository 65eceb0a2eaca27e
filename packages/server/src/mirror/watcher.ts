import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { type Loop, startLoop, Waker } from '../loop.js';
import { HistoryFollower } from './follower.js';
import { followHints } from './ledgerHints.js';

const POLL_MS = 500;
/** A request to the ledger that does not answer holds no drain up. */
const DRAIN_MS = 5_000;

/**
 * Starts mirroring what happens on the ledger, whoever made it happen. The poll is the guarantee; the ledger's hints only
 * save the wait.
 */
export function startWatcher(context: AppContext): Loop {
  const { log, metrics } = context;
  const waker = new Waker();
  const ended = new AbortController();
  const follower = new HistoryFollower(context, ended.signal);
  let heardAt: number | undefined;
  let silent = false;

  async function follow(): Promise<void> {
    const since = heardAt ?? Date.now();
    heardAt = undefined;
    try {
      await follower.catchUp(since);
      metrics.mirrorCaughtUpAt.setToCurrentTime();
      if (silent) log.info('the watcher reaches the ledger again');
      silent = false;
    } catch (error) {
      if (ended.signal.aborted) return;
      heardAt = Math.min(since, heardAt ?? since);
      metrics.mirrorFailures.inc();
      if (!(error instanceof RelayError && error.code === 'ledger_unavailable')) throw error;
      if (!silent) log.warn('the watcher does not reach the ledger; it goes on asking');
      silent = true;
    }
  }

  const loop = startLoop({
    name: 'watcher',
    log,
    pollMs: POLL_MS,
    waker,
    async round() {
      await follow();
      return false;
    },
  });
  const hints = followHints(
    context,
    () => {
      heardAt ??= Date.now();
      waker.wake();
    },
    ended.signal,
  );

  return {
    async stop() {
      ended.abort();
      await Promise.race([Promise.all([loop.stop(), hints]), sleep(DRAIN_MS, undefined, { ref: false })]);
    },
  };
}
