import {
  LegworkError,
  ARTIFACT_PART_BYTES,
  createUuid,
  type AnswerOf,
  type operations,
  type byteOperations,
  type InputOf,
} from '@legwork/protocol/contract';
import type { Config } from '../config.js';
import {
  type Announced,
  readAnnounced,
  findArtifact,
  insertArtifact,
  markStored,
  restartUpload,
} from './artifactRows.js';
import type { Db, Trx } from '../db/connect.js';
import { readResult } from '../tasks/taskLegRows.js';
import {
  type LegInTask,
  requireHolder,
  requireKept,
  requireNotErased,
  requireOpenTask,
  requireWorkable,
  lockLegOf,
  requireLegOf,
  mayReadResult,
} from '../tasks/guards.js';
import { clientKey } from '../api/limits.js';
import type { ArtifactRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import type { Caller, In, Out } from '../operations/run.js';
import type { StoreUpload, ByteRange } from './store.js';
import { hashFrom } from './wholeHash.js';
import type { AppContext } from '../context.js';
import type { Readable } from 'node:stream';

/** Files that one claim may begin to send: twice what a result may name, for those that turned out wrong. */
const MOST_UPLOADS = 32;
const MIB = 1024 * 1024;

/**
 * Only the agent that may hand in a result sends files for it. One that was paid, and whose result is not here any more, may hand it in
 * again (M-59).
 *
 * @throws LegworkError `not_your_leg`, `leg_out_of_order`, `result_submitted`, `invalid_status`
 */
export async function requireUploader(db: Db | Trx, found: LegInTask, agentPubkey: string): Promise<void> {
  const { leg } = found;
  requireNotErased(found);
  requireHolder(found, { agentPubkey });
  if (leg.status === 'completed' && (await readResult(db, leg.id)) === null) return;
  requireWorkable(found);
  if (leg.result_hash !== null) {
    throw LegworkError.field(
      'result_submitted',
      'legId',
      'names a leg whose result was handed in; its files are those it named',
    );
  }
  requireOpenTask(found);
  requireKept(found);
}

/** The uploader of a file, and its size. */
interface Announcing {
  agentPubkey: string;
  client: string;
  bytes: number;
}

/** @throws LegworkError `artifact_quota` that says which bound is reached. Rule M-80 */
async function requireQuota(
  trx: Trx,
  { leg }: LegInTask,
  announcing: Announcing,
  { limits }: Config['artifacts'],
): Promise<void> {
  const announced = await readAnnounced(trx, leg, announcing);
  const broken = brokenBound(announcing.bytes, announced, limits);
  if (broken !== undefined) throw LegworkError.field('artifact_quota', 'bytes', broken);
}

function brokenBound(bytes: number, announced: Announced, limits: Config['artifacts']['limits']): string | undefined {
  if (announced.files >= MOST_UPLOADS)
    return `is file ${MOST_UPLOADS + 1} for this claim; it may begin ${MOST_UPLOADS}`;
  const bounds = [
    { limit: limits.file, used: 0, of: 'one file' },
    { limit: limits.task, used: announced.ofTask, of: 'the files of one task' },
    { limit: limits.agent, used: announced.ofAgent, of: 'what one agent sends in 24 hours' },
    { limit: limits.address, used: announced.ofClient, of: 'what one address sends in 24 hours' },
  ];
  const reached = bounds.find(({ limit, used }) => limit > 0 && used + bytes > limit);
  return (
    reached && `is ${bytes}; ${reached.of} may have ${reached.limit / MIB} MiB, of which ${reached.used} bytes are used`
  );
}

type Upload = AnswerOf<typeof operations.startArtifact>;

/** Begins an upload, or says how far it is; one whose last answer got lost is finished. */
export async function startArtifact(
  context: AppContext,
  input: In<'startArtifact'>,
  { pubkey, ip }: Caller,
): Out<'startArtifact'> {
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
    throw LegworkError.field(
      'wrong_artifact',
      'bytes',
      `is ${bytes}; the upload of this sha256 was begun with ${row.bytes}`,
    );
  }
  return { answer: viewUpload(await finishUpload(context, row)) };
}

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

export function storeUploadOf({ id, sha256, store_upload: handle }: ArtifactRow): StoreUpload {
  return { id, sha256, handle };
}

/**
 * Stores an upload of which every byte is kept under its sha256; any other stays as it is. Rule M-79.
 *
 * @throws LegworkError `wrong_artifact` when the bytes are not those of the sha256: all of them are discarded
 */
export async function finishUpload(context: AppContext, row: ArtifactRow): Promise<ArtifactRow> {
  if (row.stored_at !== null || row.received < row.bytes) return row;
  const digest = (await hashFrom(row.hash_state)).digest();
  if (digest !== row.sha256) {
    await discardUpload(context, row);
    throw LegworkError.field(
      'wrong_artifact',
      'sha256',
      `is not the sha256 of the ${row.bytes} bytes that came, which is ${digest}; they are discarded`,
    );
  }
  if (!(await context.artifacts.store().finish(storeUploadOf(row), row.part_tags))) return lose(context, row);
  const stored = await markStored(context.db, row.id);
  if (!stored) throw LegworkError.field('not_found', 'sha256', 'names an upload that was removed meanwhile');
  context.metrics.artifactBytes.inc(Number(row.bytes));
  return stored;
}

/** Forgets an upload in the store and here, so that it can begin again. */
async function discardUpload(context: AppContext, row: ArtifactRow): Promise<void> {
  await restartUpload(context.db, row.id);
  await context.artifacts.store().drop(storeUploadOf(row));
  context.metrics.artifactsRefused.inc();
}

/** Drops an upload whose parts are gone from the store. @throws LegworkError `part_out_of_order` */
export async function lose(context: AppContext, row: ArtifactRow): Promise<never> {
  await discardUpload(context, row);
  throw LegworkError.field('part_out_of_order', 'part', 'what was kept of this file is gone; begin again with part 0');
}

/** A file that the caller may read. */
export interface ReadableArtifact {
  sha256: string;
  bytes: number;
  /** Null: not handed in yet. */
  name: string | null;
  contentType: string | null;
  /** Opens it; `end` is called once nobody reads any more. */
  open: (range: ByteRange) => Promise<{ content: Readable; end: () => void }>;
}

/** Finds a file for a caller who may read the result it belongs to. Rule M-82. */
export async function getArtifact(
  { db, artifacts }: AppContext,
  input: InputOf<typeof byteOperations.getArtifact>,
  { pubkey, ip }: Pick<Caller, 'pubkey' | 'ip'>,
): Promise<ReadableArtifact> {
  const found = await requireLegOf(db, input);
  const row = await findArtifact(db, found.leg, input.sha256);
  // An agent also reads what it has not handed in yet.
  const isOf = row?.stored_at && (row.position !== null || pubkey === found.leg.agent_pubkey);
  if (!isOf || found.task.erased_at !== null || !mayReadResult(found, pubkey)) {
    throw LegworkError.field(
      'not_found',
      'sha256',
      'names no file of a result that you may read; results are shown once they are confirmed',
    );
  }
  const { sha256, name, content_type: contentType } = row;
  return {
    sha256,
    bytes: Number(row.bytes),
    name,
    contentType,
    open: async (range) => {
      const end = artifacts.downloads.take([clientKey(ip)]);
      try {
        return { content: await artifacts.store().read(sha256, range), end };
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
