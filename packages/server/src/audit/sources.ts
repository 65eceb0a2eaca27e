import { address } from '@solana/kit';
import pg from 'pg';
import { ask, createLedgerRpc } from '../chain/ledgerRpc.js';
import type { Db, Trx } from '../db/connect.js';
import { ForeignDatabase, Unreachable } from '../errors.js';
import { AuditImpossible } from './auditImpossible.js';
import type { AuditedLedger } from './auditedLedger.js';

/** What is compared with what. */
export interface AuditedSources {
  databaseUrl: string;
  rpcUrl: string;
  programId: string;
}

async function requireOwn(trx: Trx, key: 'genesis_hash' | 'program_id', found: string): Promise<void> {
  const row = await trx.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  if (row?.value === found) return;
  if (row === undefined) throw new AuditImpossible('The database has never been used by the service.');
  throw new ForeignDatabase(key === 'program_id' ? 'program' : 'ledger', row.value, found);
}

/**
 * Runs `work` while the database stands still for it; it can change nothing.
 *
 * @throws Unreachable with what PostgreSQL said, where it refused: a schema that is not migrated, a right that is missing
 */
export async function readDatabase<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? new Unreachable('database', 'DATABASE_URL', error) : error;
  }
}

/**
 * Opens the ledger and makes sure that the database is its own.
 *
 * @throws Unreachable when one of them does not answer
 * @throws ForeignDatabase, AuditImpossible when they do not belong together
 */
export async function openLedger(options: AuditedSources, db: Db): Promise<AuditedLedger> {
  const rpc = createLedgerRpc(options.rpcUrl);
  const programAddress = address(options.programId);
  const genesisHash = await ask(rpc.getGenesisHash()).catch((error: unknown) => {
    throw new Unreachable('ledger', 'SOLANA_RPC_URL', error instanceof Error ? (error.cause ?? error) : error);
  });
  await readDatabase(db, async (trx) => {
    await requireOwn(trx, 'genesis_hash', genesisHash);
    await requireOwn(trx, 'program_id', programAddress);
  }).catch((error: unknown) => {
    const told = error instanceof AuditImpossible || error instanceof ForeignDatabase || error instanceof Unreachable;
    throw told ? error : new Unreachable('database', 'DATABASE_URL', error);
  });
  return { rpc, programAddress };
}
