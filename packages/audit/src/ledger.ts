import { setTimeout as sleep } from 'node:timers/promises';
import { ask, createLedgerRpc, type ReadLedger } from '@legwork/program-client/history';
import { LegworkError } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import { type Db, readDatabase, type Trx } from './database.js';
import { AuditImpossibleError, unreachable } from './errors.js';

/** The database and the ledger to compare. */
export interface AuditedSources {
  databaseUrl: string;
  rpcUrl: string;
  programId: string;
}

/**
 * Opens the ledger and checks that the database belongs to it.
 *
 * @throws AuditImpossibleError when one of them does not answer, or they do not belong together
 */
export async function openLedger(options: AuditedSources, db: Db): Promise<ReadLedger> {
  const rpc = createLedgerRpc(options.rpcUrl);
  const programAddress = address(options.programId);
  const genesisHash = await ask(rpc.getGenesisHash()).catch((error: unknown) => {
    throw unreachable('SOLANA_RPC_URL', error instanceof Error ? (error.cause ?? error) : error);
  });
  await readDatabase(db, async (trx) => {
    await requireOwn(trx, 'ledger', genesisHash);
    await requireOwn(trx, 'program', programAddress);
  }).catch((error: unknown) => {
    throw error instanceof AuditImpossibleError ? error : unreachable('DATABASE_URL', error);
  });
  return { rpc, programAddress };
}

async function requireOwn(trx: Trx, what: 'ledger' | 'program', found: string): Promise<void> {
  const key = what === 'ledger' ? 'genesis_hash' : 'program_id';
  const row = await trx.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  if (row?.value === found) return;
  throw new AuditImpossibleError(
    row === undefined
      ? 'The database has never been used by the service.'
      : `The database belongs to the ${what} ${row.value}, but the audit is pointed at ${found}. ` +
          'Give the database of this ledger (DATABASE_URL), or the ledger of this database (SOLANA_RPC_URL, RELAY_PROGRAM_ID).',
  );
}

const TRIES = 6;
const FIRST_PAUSE_MS = 300;

/**
 * Retries while the ledger gives no answer: public nodes refuse a busy caller for a moment.
 *
 * @throws AuditImpossibleError when there is none for about ten seconds
 */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      if (tries === TRIES) {
        throw unreachable('SOLANA_RPC_URL', error instanceof LegworkError ? error.cause : error);
      }
      await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }
}

function isUnanswered(error: unknown): boolean {
  return error instanceof LegworkError && error.code === 'ledger_unavailable';
}
