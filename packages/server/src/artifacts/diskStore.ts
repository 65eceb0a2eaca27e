import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LegworkError } from '@legwork/protocol/contract';
import {
  type ArtifactStore,
  type ByteRange,
  type IncomingPart,
  LostUploadError,
  type StoreUpload,
  type TakenPart,
  unavailable,
} from './store.js';

/** Nobody but the service's account reads them. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** How much of a part is copied at once, bytes. */
const COPY_BYTES = 256 * 1024;

/** `EDQUOT` is a disk that is full for this account. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** Faults of the disk that come without a path. */
const BROKEN: ReadonlySet<unknown> = new Set(['EIO', 'EROFS', 'ESTALE']);
/** Nobody continues an upload that was left alone for so long, milliseconds. */
const LEFT_ALONE_MS = 48 * 3_600_000;

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Says in the service's words what the disk said. What is not the disk's passes as it is. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (FULL.has(codeOf(error))) throw full();
    if (BROKEN.has(codeOf(error)) || (error instanceof Error && 'path' in error)) throw unavailable(error);
    throw error;
  }
}

function full(): LegworkError {
  return new LegworkError('storage_full', 'The disk for files is full; the service takes none until there is space.');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Makes the names in a folder outlast a loss of power. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Copies all of one file to a place in another. */
async function copyTo(from: FileHandle, to: FileHandle, offset: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    for (let done = 0; done < bytesRead; ) {
      const { bytesWritten } = await to.write(buffer, done, bytesRead - done, offset + at + done);
      done += bytesWritten;
    }
    at += bytesRead;
  }
}

/** Appends a part to an upload. @throws LostUploadError when less is there than was kept */
async function append(uploadFile: string, partFile: string, offset: number): Promise<void> {
  const from = await open(partFile, 'r');
  try {
    const to = await open(uploadFile, offset === 0 ? 'w' : 'r+', FILE_MODE).catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? new LostUploadError(uploadFile) : error;
    });
    try {
      if ((await to.stat()).size < offset) throw new LostUploadError(uploadFile);
      // Cuts the remains of a crash, past the last part that was kept.
      await to.truncate(offset);
      await copyTo(from, to, offset);
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/**
 * A folder: `<first two digits>/<sha256>` for what is whole, `uploads/<id>` for what is on its way. A part arrives in a file of its
 * own, and is copied to the end of its upload once it was found right: two requests never write into one another.
 */
export class DiskStore implements ArtifactStore {
  readonly #folder: string;
  readonly #uploads: string;
  readonly #reserveBytes: number;

  private constructor(folder: string, reserveBytes: number) {
    this.#folder = folder;
    this.#uploads = join(folder, 'uploads');
    this.#reserveBytes = reserveBytes;
  }

  /** @param reserveBytes left free on the disk, which may be the database's too */
  static async open(folder: string, reserveBytes: number): Promise<DiskStore> {
    const store = new DiskStore(folder, reserveBytes);
    await mkdir(store.#uploads, { recursive: true, mode: FOLDER_MODE });
    return store;
  }

  async free(): Promise<number> {
    const { bavail, bsize } = await asked(() => statfs(this.#folder));
    return bavail * bsize;
  }

  async requireRoom(bytes: number): Promise<void> {
    if ((await this.free()) - bytes < this.#reserveBytes) throw full();
  }

  take(upload: StoreUpload, { offset, content }: IncomingPart): Promise<TakenPart> {
    return asked(async () => {
      const uploadFile = this.#uploadOf(upload);
      const partFile = `${uploadFile}.${randomUUID()}`;
      const end = () => rm(partFile, { force: true });
      try {
        await pipeline(content, createWriteStream(partFile, { flags: 'wx', mode: FILE_MODE }));
      } catch (error) {
        await end();
        throw error;
      }
      return { handle: null, tag: '', add: () => asked(() => append(uploadFile, partFile, offset)), end };
    });
  }

  finish(upload: StoreUpload): Promise<boolean> {
    return asked(async () => {
      const [from, to] = [this.#uploadOf(upload), this.#fileOf(upload.sha256)];
      await mkdir(dirname(to), { recursive: true, mode: FOLDER_MODE });
      if (!(await exists(from))) return exists(to);
      await rename(from, to);
      await syncFolder(dirname(to));
      return true;
    });
  }

  drop(upload: StoreUpload): Promise<void> {
    return asked(() => rm(this.#uploadOf(upload), { force: true }));
  }

  read(sha256: string, { first, last }: ByteRange): Promise<Readable> {
    return asked(async () => (await open(this.#fileOf(sha256), 'r')).createReadStream({ start: first, end: last }));
  }

  remove(sha256: string): Promise<void> {
    return asked(() => rm(this.#fileOf(sha256), { force: true }));
  }

  tidy(): Promise<void> {
    return asked(async () => {
      for (const name of await readdir(this.#uploads)) {
        const path = join(this.#uploads, name);
        const { mtimeMs } = await stat(path);
        if (mtimeMs < Date.now() - LEFT_ALONE_MS) await rm(path, { force: true });
      }
    });
  }

  #fileOf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256);
  }

  #uploadOf({ id }: StoreUpload): string {
    return join(this.#uploads, id);
  }
}
