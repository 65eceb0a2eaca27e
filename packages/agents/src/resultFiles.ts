import { createWriteStream, openAsBlob } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { operations } from '@legwork/protocol/contract';
import { downloadArtifact, uploadArtifact } from '@legwork/sdk';
import type { Artifact, DownloadOptions, LegworkClient, UploadOptions } from '@legwork/sdk';

/** A file cannot be handed in, or cannot be saved. */
export class ResultFileError extends Error {
  override readonly name = 'ResultFileError';
}

interface LegOfTask {
  readonly taskId: string;
  readonly legId: string;
}

const handedArtifacts = operations.completeDigitalLeg.body.shape.artifacts;
const MAX_BYTES = 1024 ** 3;
/** File systems take names of 255 bytes; a number may follow. */
const MAX_STEM_BYTES = 200;
const MAX_EXTENSION_BYTES = 20;

/** Media types by the end of the name. Programs can name others with the SDK. */
const TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.parquet': 'application/vnd.apache.parquet',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

/** The files of a folder, in the order of their names. @throws {ResultFileError} when something else is in it */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const other = entries.find((entry) => !entry.isFile());
  if (other !== undefined) throw new ResultFileError(`${other.name} is no file; a result has files, and no folders`);
  return entries.map(({ name }) => join(folder, name)).sort();
}

/**
 * Uploads files for a result of the client's signer, named as they are and typed by
 * their names' ends. A file that was uploaded before is not sent again. Rule A-96.
 *
 * @returns them as they are handed in, with their sizes
 * @throws {ResultFileError} when one is none that a result may have
 * @throws as `uploadArtifact`
 */
export async function uploadFiles(
  client: LegworkClient,
  leg: LegOfTask,
  paths: readonly string[],
  options: UploadOptions = {},
): Promise<Artifact[]> {
  const given = paths.map((path) => ({
    name: basename(path),
    contentType: TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
  }));
  const { error } = handedArtifacts.safeParse(given.map((file, index) => ({ ...file, sha256: placeholder(index) })));
  const [issue] = error?.issues ?? [];
  const named = given[Number(issue?.path[0])];
  if (issue !== undefined) throw new ResultFileError(`${named?.name ?? 'the result'}: ${issue.message}`);
  const sizes: number[] = [];
  for (const path of paths) sizes.push(await sizeOf(path));
  const uploaded: Artifact[] = [];
  for (const [index, file] of given.entries()) {
    const content = await openAsBlob(paths[index] ?? '');
    const made = { ...(await uploadArtifact(client, { ...leg, ...file, content }, options)), bytes: sizes[index] ?? 0 };
    const twin = uploaded.find(({ sha256 }) => sha256 === made.sha256);
    if (twin !== undefined) throw new ResultFileError(`${twin.name} and ${made.name} are the same file; give it once`);
    uploaded.push(made);
  }
  return uploaded;
}

/** A file as it is handed in: its size is the service's to say. */
export const handed = ({ sha256, name, contentType }: Artifact): Omit<Artifact, 'bytes'> => ({
  sha256,
  name,
  contentType,
});

/** Stands for a hash until the bytes are read: names and types are checked before anything is sent. */
const placeholder = (index: number) => index.toString(16).padStart(64, '0');

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: Error) => error);
  if (found instanceof Error) throw new ResultFileError(`${path} cannot be read: ${found.message}`);
  if (!found.isFile()) throw new ResultFileError(`${path} is no file`);
  if (found.size >= 1 && found.size <= MAX_BYTES) return found.size;
  throw new ResultFileError(`${path} has ${found.size} bytes; a file of a result has 1 byte to 1 GiB`);
}

/**
 * Saves files of a result into a folder, which is made if it is missing. A file is there once every byte was found right, under a name that
 * stays in the folder, and nothing that is there already is changed. Rule A-97.
 *
 * @returns where they are, in their order
 * @throws {ResultFileError} when one of the names is taken: then nothing is saved
 * @throws as `downloadArtifact`: those before are saved then
 */
export async function saveFiles(
  client: LegworkClient,
  leg: LegOfTask,
  artifacts: readonly Artifact[],
  folder: string,
  options: DownloadOptions = {},
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths = safeNames(artifacts).map((name) => join(folder, name));
  for (const path of paths) if (await isThere(path)) throw taken(path);
  const unfinished = await mkdtemp(join(folder, '.legwork-'));
  try {
    for (const [index, artifact] of artifacts.entries()) {
      const part = join(unfinished, String(index));
      const content = atMost(artifact.bytes, downloadArtifact(client, { ...leg, sha256: artifact.sha256 }, options));
      await pipeline(content, createWriteStream(part, { flags: 'wx' }));
      await place(part, paths[index] ?? '');
    }
    return paths;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

const taken = (path: string) => new ResultFileError(`${path} is there already, and nothing is overwritten`);

/** Takes the name first: a rename alone would replace what somebody put there meanwhile. */
async function place(part: string, path: string): Promise<void> {
  const reserved = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? taken(path) : error;
  });
  await reserved.close();
  await rename(part, path);
}

/** A service that sends more than the result names fills no disk. */
async function* atMost(bytes: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let left = bytes;
  for await (const piece of pieces) {
    left -= piece.length;
    if (left < 0) throw new ResultFileError(`more than ${bytes} bytes come for a file that has so many`);
    yield piece;
  }
}

/** Names of one folder, on any system, each once even where capitals do not count. */
function safeNames(artifacts: readonly Artifact[]): string[] {
  const used = new Set<string>();
  return artifacts.map(({ name }) => {
    const bare = name.replace(/[/\\:*?"<>|\p{C}]/gu, '_').replace(/^[.\s]+|[.\s]+$/g, '_') || '_';
    const [stem, extension] = [basename(bare, extname(bare)), cut(extname(bare), MAX_EXTENSION_BYTES)];
    for (let number = 1; ; number += 1) {
      const free = `${cut(stem, MAX_STEM_BYTES)}${number === 1 ? '' : ` (${number})`}${extension}`;
      const same = free.normalize('NFC').toLowerCase();
      if (!used.has(same)) {
        used.add(same);
        return free;
      }
    }
  });
}

/** The beginning of a text, without half a character. */
function cut(text: string, mostBytes: number): string {
  let [kept, bytes] = ['', 0];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) break;
    kept += character;
  }
  return kept;
}
