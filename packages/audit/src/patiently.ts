import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@legwork/protocol/contract';
import { unreachable } from './errors.js';

const TRIES = 6;
const FIRST_PAUSE_MS = 300;

function isUnanswered(error: unknown): boolean {
  return error instanceof RelayError && error.code === 'ledger_unavailable';
}

/**
 * Asks again while the ledger gives no answer: public nodes refuse a caller that asks a lot, for a moment.
 *
 * @throws AuditImpossibleError when it stays silent for about ten seconds
 */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      if (tries === TRIES) {
        throw unreachable('SOLANA_RPC_URL', error instanceof RelayError ? error.cause : error);
      }
      await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }
}
