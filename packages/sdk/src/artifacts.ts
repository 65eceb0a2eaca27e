import { type AnswerOf, type Artifact, byteOperations, type operations } from '@legwork/protocol/contract';
import { getBase64Decoder } from '@solana/kit';
import { sha256 } from '@noble/hashes/sha2.js';
import { callerOf, type LegworkClient, signatureOf } from './client.js';
import { decodeKnown } from './decodeKnown.js';
import { LegworkApiError, LegworkNetworkError, LegworkProtocolError } from './errors.js';
import { bytesToHex } from './hex.js';
import { pause } from './pause.js';
import { isTransient, reasonOf, send, toApiError, toHttpRequest } from './transport.js';

/** A file for a result, and the leg it is for. */
export interface ArtifactToUpload {
  readonly taskId: string;
  readonly legId: string;
  /** Its bytes, read piece by piece: a `File`, `await openAsBlob(path)` of node:fs, or bytes in memory. 1 byte to 1 GiB. */
  readonly content: Blob | Uint8Array<ArrayBuffer>;
  /** File name: 1 to 200 characters without slashes. */
  readonly name: string;
  /** Media type in lower case, such as `text/csv; charset=utf-8`. */
  readonly contentType: string;
}

export interface UploadOptions {
  /** Ends the upload; what was kept stays, and the next call continues with it. */
  readonly signal?: AbortSignal;
  /** Told after every part. */
  readonly onProgress?: (kept: { readonly bytes: number; readonly of: number }) => void;
  /** How long it goes on without progress while the service or its store cannot be reached, milliseconds; default two minutes. */
  readonly patienceMs?: number;
}

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** As for uploads. */
  readonly patienceMs?: number;
}

type Upload = AnswerOf<typeof operations.startArtifact>;

const PATIENCE_MS = 120_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Codes after which the upload asks where it is and goes on. */
const GO_ON: ReadonlySet<string> = new Set(['part_out_of_order', 'uploads_busy', 'replayed_nonce']);

/**
 * Uploads a file for a result of the client's signer. It continues what an earlier call began, after an interruption of the
 * network, the service or its own process too. Give what it returns to completeDigitalLeg, as one of `artifacts`.
 *
 * @throws {LegworkApiError} `artifact_quota`, `storage_full`, `wrong_artifact` (the content changed meanwhile), and others of startArtifact
 * @throws {LegworkNetworkError} when nothing moved for as long as its patience lasts
 */
export async function uploadArtifact(
  client: LegworkClient,
  { taskId, legId, content, name, contentType }: ArtifactToUpload,
  { signal, onProgress, patienceMs = PATIENCE_MS }: UploadOptions = {},
): Promise<Omit<Artifact, 'bytes'>> {
  const blob = content instanceof Blob ? content : new Blob([content]);
  const file = { taskId, legId, sha256: await sha256Of(blob, signal) };
  const waiting = createPatience(patienceMs, signal);
  let known: Upload | undefined;
  while (known?.isStored !== true) {
    try {
      const from: Upload =
        known ?? (await client.startArtifact({ ...file, bytes: blob.size }, { ...(signal && { signal }) }));
      known = from.isStored ? from : await sendNext(client, file, from, blob, signal);
      if (known !== undefined) onProgress?.({ bytes: known.receivedBytes, of: blob.size });
      waiting.hasMoved();
    } catch (error) {
      if (!goesOn(error)) throw error;
      await waiting.after(error);
      known = undefined;
    }
  }
  return { sha256: file.sha256, name, contentType };
}

function goesOn(error: unknown): boolean {
  if (isTransient(error)) return true;
  if (!(error instanceof LegworkApiError)) return false;
  // A part that was damaged on its way is sent again; a file that is another one is not.
  return (
    GO_ON.has(error.code) || (error.code === 'wrong_artifact' && error.errors.some(({ field }) => field === 'part'))
  );
}

type File = { readonly taskId: string; readonly legId: string; readonly sha256: string };

/** @returns undefined when every byte is kept and the service has to be asked to store them */
async function sendNext(
  client: LegworkClient,
  file: File,
  { receivedBytes, partBytes }: Upload,
  blob: Blob,
  signal: AbortSignal | undefined,
): Promise<Upload | undefined> {
  if (receivedBytes >= blob.size) return undefined;
  const { clock, base, transport, signer } = callerOf(client);
  if (signer === undefined) throw new TypeError('putArtifactPart must be signed: give createLegworkClient a signer');
  const bytes = new Uint8Array(await blob.slice(receivedBytes, receivedBytes + partBytes).arrayBuffer());
  const input = { ...file, part: String(receivedBytes / partBytes) };
  const request = { ...toHttpRequest(byteOperations.putArtifactPart, base, input), body: bytes };
  const digest = createSha256();
  digest.update(bytes);
  const contentDigest = `sha-256=:${getBase64Decoder().decode(digest.digest())}:`;
  const headers = async () => ({
    'content-type': 'application/octet-stream',
    'content-digest': contentDigest,
    ...(await signatureOf(request, signer, clock)),
  });
  const answer = await send(transport, request, headers, signal);
  const decoded = decodeKnown(byteOperations.putArtifactPart.answer, answer.json);
  if (!decoded.success) throw new LegworkProtocolError('putArtifactPart answered in another form than this SDK knows');
  return decoded.data;
}

async function sha256Of(blob: Blob, signal: AbortSignal | undefined): Promise<string> {
  const hash = createSha256();
  for await (const piece of piecesOf(blob.stream())) {
    signal?.throwIfAborted();
    hash.update(piece);
  }
  return bytesToHex(hash.digest());
}

/** Where a file of a result is. It is there for everybody once the result is confirmed, and before that for calls that are signed. */
export function artifactUrl(client: LegworkClient, file: File): string {
  return toHttpRequest(byteOperations.getArtifact, callerOf(client).base, file).url.href;
}

/**
 * Downloads a file of a result piece by piece, and continues after an interruption. Nobody has looked at what is in it.
 *
 * Only when the loop ends without an error was every byte right: use nothing before.
 *
 * @throws {LegworkApiError} `not_found` where the client's signer may not read the result
 * @throws {LegworkProtocolError} after the last piece, when the sha256 is another
 * @throws {LegworkNetworkError} when nothing moved for as long as its patience lasts
 */
export async function* downloadArtifact(
  client: LegworkClient,
  file: File,
  { signal, patienceMs = PATIENCE_MS }: DownloadOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const waiting = createPatience(patienceMs, signal);
  const hash = createSha256();
  let from = 0;
  for (let isWhole = false; !isWhole; ) {
    try {
      for await (const piece of piecesFrom(client, file, from, signal)) {
        hash.update(piece);
        from += piece.length;
        waiting.hasMoved();
        yield piece;
      }
      isWhole = true;
    } catch (error) {
      signal?.throwIfAborted();
      if (!goesOn(error)) throw error;
      await waiting.after(error);
    }
  }
  const sha256 = bytesToHex(hash.digest());
  if (sha256 === file.sha256) return;
  throw new LegworkProtocolError(`the file that came has the sha256 ${sha256}, not ${file.sha256}`);
}

async function* piecesFrom(
  client: LegworkClient,
  file: File,
  from: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const { clock, base, transport, signer } = callerOf(client);
  const request = toHttpRequest(byteOperations.getArtifact, base, file);
  const { url } = request;
  // A signer that refuses is not a network that fails: it is not asked again.
  const signed = signer !== undefined && (await signatureOf(request, signer, clock));
  try {
    const response = await transport.fetch(url, {
      method: 'GET',
      headers: { ...(from > 0 && { range: `bytes=${from}-` }), ...signed },
      redirect: 'error',
      ...(signal !== undefined && { signal }),
    });
    // Interrupted after the last byte: there is nothing left.
    if (response.status === 416 && from > 0) return;
    if (!response.ok) throw toApiError(response, await response.text());
    if (from > 0 && response.status !== 206)
      throw new LegworkProtocolError(`${url.href} does not continue at byte ${from}`);
    if (response.body !== null) yield* piecesOf(response.body);
  } catch (error) {
    if (error instanceof LegworkApiError || error instanceof LegworkProtocolError) throw error;
    throw new LegworkNetworkError(`GET ${url.href}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Browsers' streams cannot all be looped over yet. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Waits longer and longer, until nothing moved for `patienceMs`. */
function createPatience(patienceMs: number, signal: AbortSignal | undefined) {
  let waitMs = FIRST_PAUSE_MS;
  let left = patienceMs;
  return {
    hasMoved: () => {
      waitMs = FIRST_PAUSE_MS;
      left = patienceMs;
    },
    /** @throws the error itself once patience is at an end */
    after: async (error: unknown) => {
      if (left <= 0) throw error;
      await pause(Math.min(waitMs, left), signal);
      left -= waitMs;
      waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS);
    },
  };
}

/** A sha256 of bytes that come one after another. */
export interface Sha256 {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** Node's own where there is one: it is many times as fast. */
export function createSha256(): Sha256 {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  return node === undefined ? sha256.create() : node.createHash('sha256');
}
