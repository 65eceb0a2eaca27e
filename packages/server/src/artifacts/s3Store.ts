import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { LegworkError } from '@legwork/protocol/contract';
import { AwsClient } from 'aws4fetch';
import {
  type ArtifactStore,
  type ByteRange,
  type IncomingPart,
  LostUploadError,
  type StoreUpload,
  type TakenPart,
  unavailable,
} from './store.js';

/** Where a store that speaks the protocol of S3 is, and who we are there. */
export interface S3Settings {
  /** With https:// or http://; without a slash at the end. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Longest wait for the answer to a request that carries no file, and to one that carries a part, milliseconds. */
const ANSWER_MS = 20_000;
const PART_MS = 40_000;

const FORBIDDEN = 403;
/** The store's answer to a request that it does not implement; that is no failure of the store. */
const NOT_IMPLEMENTED = 501;
const UPLOAD_ID = /<UploadId>([^<]+)<\/UploadId>/;
/** Codes with which a store says that it takes no more. */
const FULL = /<Code>(?:XMinioStorageFull|QuotaExceeded|StorageFull|InsufficientStorage)<\/Code>/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

const unescaped = (xml: string) => xml.replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => ENTITIES[entity] ?? entity);
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** The body of a request to the store: a text, or a stream of bytes of known length and sha256. */
type Sent = string | Pick<IncomingPart, 'content' | 'bytes' | 'sha256'>;

interface Asking {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Sent;
}

/**
 * A bucket: `artifacts/<sha256>` for every file. An upload is one multipart upload of the store; a part passes through to it as it
 * arrives, under the hash that its sender signed.
 */
export class S3Store implements ArtifactStore {
  readonly #client: AwsClient;
  readonly #address: string;

  constructor({ endpoint, bucket, ...keys }: S3Settings) {
    this.#client = new AwsClient({ ...keys, service: 's3', retries: 0 });
    this.#address = `${endpoint}/${bucket}/artifacts/`;
  }

  // The store is as large as its owner lets it be.
  async free(): Promise<undefined> {}

  async requireRoom(): Promise<void> {}

  async take({ sha256, handle }: StoreUpload, part: IncomingPart): Promise<TakenPart> {
    const uploadId = handle ?? (await this.#begin(sha256));
    let isIn = false;
    const end = async () => {
      if (handle === null && !isIn) await this.drop({ sha256, handle: uploadId });
    };
    const add = async () => {
      isIn = true;
    };
    try {
      const query = { partNumber: String(part.part + 1), uploadId };
      const { headers } = await this.#told(sha256, { method: 'PUT', query, body: part });
      const tag = headers.get('etag');
      if (tag === null) throw unavailable(new Error('the store took a part without naming it'));
      return { handle: uploadId, tag, add, end };
    } catch (error) {
      await end().catch(() => undefined);
      throw error;
    }
  }

  async finish({ sha256, handle }: StoreUpload, tags: readonly string[]): Promise<boolean> {
    if (handle === null) return false;
    const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const failure = await this.#complete(sha256, handle, body);
    // The bytes under a sha256 are whole: of this upload, its answer lost, or of another one with the same content.
    if (failure === undefined || (await this.#ask(sha256, { method: 'HEAD' })).ok) return true;
    if (failure instanceof LostUploadError) return false;
    throw failure;
  }

  /** Frees the parts of an upload; what a store does not abort, or does not know, is for its own clean-up. */
  async drop({ sha256, handle }: Pick<StoreUpload, 'sha256' | 'handle'>): Promise<void> {
    if (handle === null) return;
    const answer = await this.#ask(sha256, { method: 'DELETE', query: { uploadId: handle } });
    await answer.text();
  }

  async read(sha256: string, { first, last }: ByteRange): Promise<Readable> {
    const answer = await this.#ask(sha256, { method: 'GET', headers: { range: `bytes=${first}-${last}` } });
    if (!answer.ok || answer.body === null) throw refused(answer.status, await answer.text());
    return Readable.fromWeb(answer.body as ReadableStream<Uint8Array>);
  }

  async remove(sha256: string): Promise<void> {
    const answer = await this.#ask(sha256, { method: 'DELETE' });
    const text = await answer.text();
    if (!answer.ok && answer.status !== 404) throw refused(answer.status, text);
  }

  /** Its own lifecycle rule tidies it. */
  async tidy(): Promise<void> {}

  /** The answer, whatever it is. @throws LegworkError `storage_unavailable` when none comes, or the store fails or does not let us in */
  async #ask(sha256: string, { method, query = {}, headers = {}, body }: Asking): Promise<Response> {
    const url = new URL(this.#address + sha256);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const late = new AbortController();
    const waitMs = typeof body === 'object' ? PART_MS : ANSWER_MS;
    const timer = setTimeout(() => late.abort(new Error('no answer in time')), waitMs);
    const sent = { method, headers: { ...headers, ...headersOf(body) }, ...bodyOf(body), signal: late.signal };
    try {
      const answer = await fetch(await this.#client.sign(url.href, sent as RequestInit));
      if ((answer.status < 500 || answer.status === NOT_IMPLEMENTED) && answer.status !== FORBIDDEN) return answer;
      throw refused(answer.status, await answer.text());
    } catch (error) {
      throw error instanceof LegworkError ? error : unavailable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The text of an answer of success. */
  async #told(sha256: string, asking: Asking): Promise<{ text: string; headers: Headers }> {
    const answer = await this.#ask(sha256, asking);
    const text = await answer.text();
    if (answer.ok) return { text, headers: answer.headers };
    throw refused(answer.status, text);
  }

  async #begin(sha256: string): Promise<string> {
    const headers = { 'content-type': 'application/octet-stream' };
    const { text } = await this.#told(sha256, { method: 'POST', query: { uploads: '' }, headers, body: '' });
    const [, uploadId] = UPLOAD_ID.exec(text) ?? [];
    if (uploadId === undefined) throw unavailable(new Error('the store began an upload without a name'));
    return unescaped(uploadId);
  }

  /** @returns why the upload was not completed; undefined: it was */
  async #complete(sha256: string, uploadId: string, body: string): Promise<Error | undefined> {
    try {
      const answer = await this.#ask(sha256, { method: 'POST', query: { uploadId }, body });
      const text = await answer.text();
      // The store may find out only after it has said 200.
      if (answer.ok && !text.includes('<Error>')) return undefined;
      const isUnknown = answer.status === 404 || answer.status === 400;
      return isUnknown ? new LostUploadError(uploadId) : refused(answer.status, text);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

function refused(status: number, text: string): LegworkError {
  if (status === 507 || FULL.test(text)) {
    return new LegworkError(
      'storage_full',
      'The store for files is full; the service takes none until there is space.',
    );
  }
  return unavailable(new Error(`the store answered ${status}: ${text.slice(0, 500)}`));
}

function headersOf(body: Sent | undefined): Record<string, string> {
  if (typeof body !== 'object') return {};
  return {
    'content-type': 'application/octet-stream',
    'content-length': String(body.bytes),
    'x-amz-content-sha256': body.sha256,
  };
}

function bodyOf(body: Sent | undefined) {
  return typeof body === 'object' ? { body: body.content, duplex: 'half' } : { body };
}
