import { RelayError, type operations } from '@agent-relay/protocol';
import { sql } from 'kysely';
import { ask } from '../../chain/ledgerRpc.js';
import { within } from '../../waiting.js';
import type { Run } from '../implement.js';

/** Whoever probes waits no longer than this, milliseconds: no answer is an answer. Rule S-81. */
const ANSWER_WITHIN_MS = 3_000;

export const getReadiness: Run<typeof operations.getReadiness> = async ({ db, chain, log }) => {
  const parts = {
    database: within(ANSWER_WITHIN_MS, sql`select 1`.execute(db)),
    ledger: within(ANSWER_WITHIN_MS, ask(chain.rpc.getHealth())),
  };
  // All at once: a probe that fails while another one is waited for must not be a rejection that nobody hears.
  const outcomes = await Promise.allSettled(Object.values(parts));
  const missing = Object.keys(parts).filter((name, index) => {
    const outcome = outcomes[index];
    if (outcome?.status !== 'rejected') return false;
    log.warn({ err: outcome.reason as unknown, part: name }, 'not ready');
    return true;
  });
  if (missing.length > 0) throw new RelayError('not_ready', `no answer from: ${missing.join(', ')}`);
  return { answer: { status: 'ok' } };
};
