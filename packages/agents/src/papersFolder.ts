import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Papers, papersOfAnswer } from '@legwork/sdk';
import { z } from 'zod';

const ENDING = '.papers.json';
/** The longest file that is read, bytes: an answer of a service about a listing is far shorter. */
const LONGEST = 1_048_576;
const form = z.strictObject({ listingId: z.string(), document: z.string() });

/** Where the papers of a key's listings are: beside its journal. */
export function papersFolderOf(keyFile: string): string {
  return `${keyFile.replace(/\.json$/, '')}.papers`;
}

const fileOf = (folder: string, listingId: string) => join(folder, `${listingId}${ENDING}`);

/**
 * Writes the papers of a listing into a file of their own, whole or not at all; it and a folder that is made are for their owner only.
 *
 * @returns the file
 */
export async function writePapers(folder: string, { listingId, document }: Papers): Promise<string> {
  const file = fileOf(folder, listingId);
  const part = `${file}.${process.pid}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(part, `${JSON.stringify({ listingId, document })}\n`, { mode: 0o600, flush: true });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
  return file;
}

/** The ids of the listings whose papers are there, in order; none, where there is no such folder. */
export async function papersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : [])).sort();
}

/** The papers of a listing; undefined: the file has neither what {@link writePapers} writes nor what a service answers of a listing. */
export async function readPapers(folder: string, listingId: string): Promise<Papers | undefined> {
  const text = await readShort(fileOf(folder, listingId));
  if (text === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return form.safeParse(json).data ?? papersOfAnswer(json);
  } catch {
    return undefined;
  }
}

/** Undefined: a folder, a device, a pipe or too long. Others may have filled the folder, so none of these holds up the files beside it. */
async function readShort(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const about = await file.stat();
    return about.isFile() && about.size <= LONGEST ? await file.readFile('utf8') : undefined;
  } finally {
    await file.close();
  }
}

export async function dropPapers(folder: string, listingId: string): Promise<void> {
  await rm(fileOf(folder, listingId), { force: true });
}
