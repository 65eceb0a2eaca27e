import { createHash } from 'node:crypto';
import {
  ARTIFACT_PART_BYTES,
  type AnswerOf,
  type byteOperations,
  type InputOf,
  LegworkError,
} from '@legwork/protocol/contract';
import { clientKey } from '../api/limits.js';
import { LostUploadError, type TakenPart } from './store.js';
import { hashFrom, type WholeHash } from './wholeHash.js';
import type { AppContext } from '../context.js';
import { findArtifact, lockArtifact, lockContent, setProgress } from './artifactRows.js';
import type { ArtifactRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import { requireLegOf } from '../tasks/guards.js';
import type { Caller } from '../operations/run.js';
import { finishUpload, lose, storeUploadOf, requireUploader, viewUpload } from './upload.js';

type Contract = typeof byteOperations.putArtifactPart;

/** The body of the request, not read yet. */
export interface SentPart {
  /** As Content-Length says. */
  bytes: number;
  /** As Content-Digest says and the signature covers, hex. */
  sha256: string;
  content: AsyncIterable<Uint8Array>;
}

/** Keeps the next part of an upload; of one that is kept already, nothing is read. Rule M-79. */
export async function putArtifactPart(
  context: AppContext,
  input: InputOf<Contract>,
  { pubkey, ip }: Pick<Caller, 'pubkey' | 'ip'>,
  sent: SentPart,
): Promise<AnswerOf<Contract>> {
  if (pubkey === undefined) throw new Error('a signed operation has no signer');
  const found = await requireLegOf(context.db, input);
  await requireUploader(context.db, found, pubkey);
  const row = await findArtifact(context.db, found.leg, input.sha256);
  if (!row)
    throw LegworkError.field('not_found', 'sha256', 'names no upload of this leg; begin one with startArtifact');
  const offset = input.part * ARTIFACT_PART_BYTES;
  if (offset < Number(row.received)) return viewUpload(await finishUpload(context, row));
  requireNext(row, offset, sent.bytes);
  const kept = await context.artifacts.uploads.within([pubkey, clientKey(ip)], () =>
    keepPart(context, row, input.part, sent),
  );
  return viewUpload(await finishUpload(context, kept));
}

/** @throws LegworkError `part_out_of_order`; `invalid_input` when it has another length than this part has */
function requireNext({ received, bytes: all }: ArtifactRow, offset: number, bytes: number): void {
  if (offset !== Number(received)) {
    throw LegworkError.field(
      'part_out_of_order',
      'part',
      `${received} bytes are kept; the next part is ${Number(received) / ARTIFACT_PART_BYTES}`,
    );
  }
  const length = Math.min(ARTIFACT_PART_BYTES, Number(all) - offset);
  if (bytes !== length)
    throw LegworkError.field('invalid_input', 'Content-Length', `must be ${length}, the bytes of this part`);
}

async function keepPart(context: AppContext, row: ArtifactRow, part: number, sent: SentPart): Promise<ArtifactRow> {
  const store = context.artifacts.store();
  await store.requireRoom(sent.bytes);
  const whole = await hashFrom(row.hash_state);
  const taken = await takeRight(context, row, part, sent, whole);
  try {
    return await addPart(context, row, sent.bytes, taken, whole.save());
  } catch (error) {
    if (error instanceof LostUploadError) return await lose(context, row);
    throw error;
  } finally {
    await taken.end();
  }
}

/** Takes the part while hashing it. @throws LegworkError `wrong_artifact` when it is not what was signed */
async function takeRight(
  { artifacts, metrics }: AppContext,
  row: ArtifactRow,
  part: number,
  sent: SentPart,
  whole: WholeHash,
): Promise<TakenPart> {
  const own = createHash('sha256');
  let arrived = 0;
  async function* observed() {
    for await (const chunk of sent.content) {
      own.update(chunk);
      whole.update(chunk);
      arrived += chunk.length;
      yield chunk;
    }
  }
  const incoming = { part, offset: Number(row.received), ...sent, content: observed() };
  const outcome = await artifacts
    .store()
    .take(storeUploadOf(row), incoming)
    .then(
      (taken) => ({ taken }),
      (error: unknown) => ({ error }),
    );
  // A store that checks it too refuses it; either way it is the sender's fault.
  const isWrong = arrived === sent.bytes && own.digest('hex') !== sent.sha256;
  if (!isWrong) {
    if ('taken' in outcome) return outcome.taken;
    throw outcome.error;
  }
  metrics.artifactsRefused.inc();
  if ('taken' in outcome) await outcome.taken.end();
  throw LegworkError.field(
    'wrong_artifact',
    'part',
    'has another sha256 than Content-Digest says; it is discarded, send it again',
  );
}

/** Makes the part one of the upload, unless another request was faster. */
async function addPart(
  { db }: AppContext,
  { id, received, sha256 }: ArtifactRow,
  bytes: number,
  taken: TakenPart,
  state: Buffer,
): Promise<ArtifactRow> {
  return inTransaction(db, async (trx) => {
    const row = await lockArtifact(trx, id);
    if (!row) throw LegworkError.field('not_found', 'sha256', 'names an upload that was removed meanwhile');
    if (row.received !== received) {
      throw LegworkError.field(
        'part_out_of_order',
        'part',
        `another request was faster: ${row.received} bytes are kept`,
      );
    }
    const progress = {
      received: received + BigInt(bytes),
      hash_state: state,
      store_upload: taken.handle,
      part_tags: [...row.part_tags, taken.tag],
    };
    // From here on it counts among those that have these bytes: nobody removes them then.
    if (progress.received === row.bytes) await lockContent(trx, sha256);
    await taken.add();
    await setProgress(trx, id, progress);
    return { ...row, ...progress };
  });
}
