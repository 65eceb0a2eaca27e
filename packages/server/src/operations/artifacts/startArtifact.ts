import {
  ARTIFACT_PART_BYTES,
  createUuid,
  type AnswerOf,
  type operations,
  RelayError,
} from '@legwork/protocol/contract';
import { clientKey } from '../../api/limits.js';
import { findArtifact, insertArtifact } from '../../db/artifacts.js';
import type { ArtifactRow } from '../../db/schema.js';
import { inTransaction } from '../../db/transaction.js';
import { lockLegOf, requireLegOf } from '../digitalTasks/guards.js';
import type { Run } from '../run.js';
import { finishUpload } from './finishUpload.js';
import { requireQuota, requireUploader } from './guards.js';

type Upload = AnswerOf<typeof operations.startArtifact>;

/** Begins an upload, or says how far it is; one whose last answer got lost is finished. Rules M-79, M-80. */
export const startArtifact: Run<typeof operations.startArtifact> = async (context, input, { pubkey, ip }) => {
  const { sha256, bytes } = input;
  if (pubkey === undefined) throw new Error('a signed operation has no signer');
  const store = context.artifacts.store();
  await requireUploader(context.db, await requireLegOf(context.db, input), pubkey);
  await store.requireRoom(bytes);
  const row = await inTransaction(context.db, async (trx) => {
    const found = await lockLegOf(trx, input);
    await requireUploader(trx, found, pubkey);
    const known = await findArtifact(trx, found.leg, sha256);
    if (known) return known;
    const client = clientKey(ip);
    await requireQuota(trx, found, { agentPubkey: pubkey, client, bytes }, context.config.artifacts);
    const { id: legId, claim } = found.leg;
    const begun = {
      id: createUuid(),
      leg_id: legId,
      claim,
      agent_pubkey: pubkey,
      client,
      sha256,
      bytes: BigInt(bytes),
    };
    return insertArtifact(trx, begun);
  });
  if (Number(row.bytes) !== bytes) {
    throw RelayError.field(
      'wrong_artifact',
      'bytes',
      `is ${bytes}; the upload of this sha256 was begun with ${row.bytes}`,
    );
  }
  return { answer: viewUpload(await finishUpload(context, row)) };
};

export function viewUpload({ leg_id: legId, sha256, bytes, received, stored_at: storedAt }: ArtifactRow): Upload {
  return {
    legId,
    sha256,
    bytes: Number(bytes),
    receivedBytes: Number(received),
    partBytes: ARTIFACT_PART_BYTES,
    isStored: storedAt !== null,
  };
}
