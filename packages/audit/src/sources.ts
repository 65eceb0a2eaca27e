import { ask, createLedgerRpc } from '@legwork/program-client/history';
import { address } from '@solana/kit';
import pg from 'pg';
import type { ReadLedger } from '@legwork/program-client/history';
import type { Db, Trx } from './database.js';
import { AuditImpossibleError, unreachable } from './errors.js';

/** What is compared with what. */
export interface AuditedSources {
  databaseUrl: string;
  rpcUrl: string;
  programId: string;
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

/**
 * Runs `work` while the database stands still for it; it can change nothing.
 *
 * @throws AuditImpossibleError with what PostgreSQL said, where it refused: a schema that is not migrated, a right that is missing
 */
export async function readDatabase<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? unreachable('DATABASE_URL', error) : error;
  }
}

/**
 * Opens the ledger and makes sure that the database is its own.
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
