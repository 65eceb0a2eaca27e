import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RelayError } from '@legwork/protocol/contract';
import { type ArtifactStore, LostUploadError, type StoreUpload, unavailable } from './store.js';

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

function full(): RelayError {
  return new RelayError('storage_full', 'The disk for files is full; the service takes none until there is space.');
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

/**
 * A folder: `<first two digits>/<sha256>` for what is whole, `uploads/<id>` for what is on its way. A part arrives in a file of its
 * own, and is copied to the end of its upload once it was found right: two requests never write into one another.
 *
 * @param reserveBytes - left free on the disk, which may be the database's too
 */
export async function openDiskStore(folder: string, reserveBytes: number): Promise<ArtifactStore> {
  const uploads = join(folder, 'uploads');
  await mkdir(uploads, { recursive: true, mode: FOLDER_MODE });
  const folderOf = (sha256: string) => join(folder, sha256.slice(0, 2));
  const fileOf = (sha256: string) => join(folderOf(sha256), sha256);
  const uploadOf = ({ id }: StoreUpload) => join(uploads, id);

  async function append(upload: StoreUpload, partFile: string, offset: number): Promise<void> {
    const from = await open(partFile, 'r');
    try {
      const to = await open(uploadOf(upload), offset === 0 ? 'w' : 'r+', FILE_MODE).catch((error: unknown) => {
        throw codeOf(error) === 'ENOENT' ? new LostUploadError(upload.id) : error;
      });
      try {
        if ((await to.stat()).size < offset) throw new LostUploadError(upload.id);
        // What a crash left after the last part that was kept.
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

  return {
    requireRoom: (bytes) =>
      asked(async () => {
        const { bavail, bsize } = await statfs(folder);
        if (bavail * bsize - bytes < reserveBytes) throw full();
      }),

    take: (upload, { offset, content }) =>
      asked(async () => {
        const partFile = `${uploadOf(upload)}.${randomUUID()}`;
        const end = () => rm(partFile, { force: true });
        try {
          await pipeline(content, createWriteStream(partFile, { flags: 'wx', mode: FILE_MODE }));
        } catch (error) {
          await end();
          throw error;
        }
        return { handle: null, tag: '', add: () => asked(() => append(upload, partFile, offset)), end };
      }),

    finish: (upload) =>
      asked(async () => {
        const { sha256 } = upload;
        await mkdir(folderOf(sha256), { recursive: true, mode: FOLDER_MODE });
        if (!(await exists(uploadOf(upload)))) return exists(fileOf(sha256));
        await rename(uploadOf(upload), fileOf(sha256));
        await syncFolder(folderOf(sha256));
        return true;
      }),

    drop: (upload) => asked(() => rm(uploadOf(upload), { force: true })),

    read: (sha256, { first, last }) =>
      asked(async () => (await open(fileOf(sha256), 'r')).createReadStream({ start: first, end: last })),

    remove: (sha256) => asked(() => rm(fileOf(sha256), { force: true })),

    tidy: () =>
      asked(async () => {
        for (const name of await readdir(uploads)) {
          const path = join(uploads, name);
          const { mtimeMs } = await stat(path);
          if (mtimeMs < Date.now() - LEFT_ALONE_MS) await rm(path, { force: true });
        }
      }),
  };
}
