import type { AppContext } from '../context.js';
import {
  deleteArtifact,
  forgetClients,
  isKeptForOthers,
  lockArtifact,
  lockContent,
  uselessArtifacts,
} from './artifactRows.js';
import { inTransaction } from '../db/transaction.js';
import type { ArtifactStore } from './store.js';

/** A sweep removes so many uploads at most; the next one goes on. */
const BATCH = 200;

/** Removes what was sent for results that never came, and what interruptions left in the store. Rule M-81. */
export async function sweepArtifacts({ db, artifacts }: Pick<AppContext, 'db' | 'artifacts'>): Promise<void> {
  await forgetClients(db);
  if (!artifacts.isOpen) return;
  const store = artifacts.store();
  for (const id of await uselessArtifacts(db, BATCH)) await removeArtifact({ db, store }, id);
  await store.tidy();
}

/** Removes an upload here and in the store, but not bytes that others have too. */
async function removeArtifact(
  { db, store }: Pick<AppContext, 'db'> & { store: ArtifactStore },
  id: string,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const row = await lockArtifact(trx, id);
    if (!row) return;
    await lockContent(trx, row.sha256);
    await store.drop({ id, sha256: row.sha256, handle: row.store_upload });
    if (row.stored_at !== null && !(await isKeptForOthers(trx, row))) await store.remove(row.sha256);
    await deleteArtifact(trx, id);
  });
}
