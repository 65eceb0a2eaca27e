import { RelayError, type operations } from '@agent-relay/protocol';
import { sql } from 'kysely';
import { ask } from '../../chain/ledgerRpc.js';
import type { Run } from '../implement.js';

export const getReadiness: Run<typeof operations.getReadiness> = async ({ db, chain, log }) => {
  const parts = { database: sql`select 1`.execute(db), ledger: ask(chain.rpc.getHealth()) };
  const missing: string[] = [];
  for (const [name, probe] of Object.entries(parts)) {
    try {
      await probe;
    } catch (error) {
      log.warn({ err: error, part: name }, 'not ready');
      missing.push(name);
    }
  }
  if (missing.length > 0) throw new RelayError('not_ready', `no answer from: ${missing.join(', ')}`);
  return { answer: { status: 'ok' } };
};
