import { RelayError } from '@legwork/protocol/contract';
import type { StoreUpload } from '../../artifacts/store.js';
import { hashFrom } from '../../artifacts/wholeHash.js';
import type { AppContext } from '../../context.js';
import { markStored, restartUpload } from '../../db/artifacts.js';
import type { ArtifactRow } from '../../db/schema.js';

export function storeUploadOf({ id, sha256, store_upload: handle }: ArtifactRow): StoreUpload {
  return { id, sha256, handle };
}

/**
 * Stores an upload of which every byte is kept under its sha256; any other stays as it is. Rule M-79.
 *
 * @throws RelayError `wrong_artifact` when the bytes are not those of the sha256: all of them are discarded
 */
export async function finishUpload(context: AppContext, row: ArtifactRow): Promise<ArtifactRow> {
  if (row.stored_at !== null || row.received < row.bytes) return row;
  const digest = (await hashFrom(row.hash_state)).digest();
  if (digest !== row.sha256) {
    await discardUpload(context, row);
    throw RelayError.field(
      'wrong_artifact',
      'sha256',
      `is not the sha256 of the ${row.bytes} bytes that came, which is ${digest}; they are discarded`,
    );
  }
  if (!(await context.artifacts.store().finish(storeUploadOf(row), row.part_tags))) return lose(context, row);
  const stored = await markStored(context.db, row.id);
  if (!stored) throw RelayError.field('not_found', 'sha256', 'names an upload that was removed meanwhile');
  context.metrics.artifactBytes.inc(Number(row.bytes));
  return stored;
}

/** Forgets an upload in the store and here, so that it can begin again. */
async function discardUpload(context: AppContext, row: ArtifactRow): Promise<void> {
  await restartUpload(context.db, row.id);
  await context.artifacts.store().drop(storeUploadOf(row));
  context.metrics.artifactsRefused.inc();
}

/** What was kept is gone from the store. @throws RelayError `part_out_of_order` */
export async function lose(context: AppContext, row: ArtifactRow): Promise<never> {
  await discardUpload(context, row);
  throw RelayError.field('part_out_of_order', 'part', 'what was kept of this file is gone; begin again with part 0');
}
