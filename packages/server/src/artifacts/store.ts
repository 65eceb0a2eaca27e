import type { Readable } from 'node:stream';
import { LegworkError } from '@legwork/protocol/contract';

/** An upload as the store knows it. */
export interface StoreUpload {
  /** Ours, a UUID. */
  id: string;
  sha256: string;
  /** The store's own; null: none was begun there. */
  handle: string | null;
}

/** A part as it arrives. */
export interface IncomingPart {
  /** Counted from 0. */
  part: number;
  /** Where it begins in the file, and how many bytes it has. */
  offset: number;
  bytes: number;
  /** sha256 that it ought to have, hex. */
  sha256: string;
  content: AsyncIterable<Uint8Array>;
}

/** A part that is here whole, and not yet one of the upload. */
export interface TakenPart {
  handle: string | null;
  /** The store's name for it. */
  tag: string;
  /** Adds it to the upload, after which it is kept. Repeating it is safe. */
  add: () => Promise<void>;
  /** Frees what only the part took, added or not. */
  end: () => Promise<void>;
}

/** A range of bytes, both ends included. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Where the bytes of files are, under their sha256. Nothing in it looks at them.
 *
 * Every function may throw `storage_full` or `storage_unavailable`; nothing is half stored then, and repeating the call is safe.
 */
export interface ArtifactStore {
  /** Bytes that are free where files are kept; undefined: the store does not say. */
  free(): Promise<number | undefined>;
  /** @throws LegworkError `storage_full` when there is no room for so many bytes more */
  requireRoom(bytes: number): Promise<void>;
  /** Takes a part as it arrives, holding little of it in memory. Fails when its content does. */
  take(upload: StoreUpload, part: IncomingPart): Promise<TakenPart>;
  /** Stores an upload under its sha256, which was checked. @returns false when what was kept of it is gone */
  finish(upload: StoreUpload, tags: readonly string[]): Promise<boolean>;
  /** Drops what was kept of an upload. */
  drop(upload: StoreUpload): Promise<void>;
  /** The bytes in this range. @throws LegworkError `storage_unavailable` also when they are gone */
  read(sha256: string, range: ByteRange): Promise<Readable>;
  remove(sha256: string): Promise<void>;
  /** Removes what interrupted uploads left, and nobody knows any more. */
  tidy(): Promise<void>;
}

/** The refusal of a request while the store cannot be used. */
export function unavailable(cause: unknown): LegworkError {
  const error = new LegworkError('storage_unavailable', 'Files cannot be stored or read now; try again.');
  return Object.assign(error, { cause });
}

/** The kept parts of an upload are gone from the store. */
export class LostUploadError extends Error {
  override readonly name = 'LostUploadError';
}
