import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LegworkApiError, papersOf } from '@legwork/sdk';
import { z } from 'zod';
import type { Agent } from './agent.js';
import { kindOf } from './exits.js';
import { UserError } from '../screen.js';
import type { Shown } from './output.js';

const ENDING = '.papers.json';
const papers = z.strictObject({ listingId: z.string(), document: z.string() });

/** Keeps what a listing says in a file of its own, for a service that may lose it. */
export async function keep(
  { client }: Agent,
  { id, to }: { readonly id: string; readonly to: string },
): Promise<Shown> {
  const isTask = (await kindOf({ client }, id)) === 'task';
  const listing = isTask ? await client.getDigitalTask({ taskId: id }) : await client.getPackage({ packageId: id });
  const path = join(to, `${id}${ENDING}`);
  await mkdir(to, { recursive: true });
  await writeFile(path, `${JSON.stringify(papersOf(listing))}\n`);
  return { data: { path }, text: `Kept in ${path}. A service that lost it takes it back: legwork papers give ${to}` };
}

/** Gives a service what it lost of listings. What it has already, or does not take, is told; the rest goes on. */
export async function give({ client }: Agent, { folder }: { readonly folder: string }): Promise<Shown> {
  const taken: string[] = [];
  const refused: string[] = [];
  for (const name of await papersIn(folder)) {
    const { data, error } = papers.safeParse(readJson(await readFile(join(folder, name), 'utf8')));
    if (error) {
      refused.push(`${name}: is not what legwork papers keep writes`);
      continue;
    }
    try {
      const { isNew } = await client.givePapers(data);
      if (isNew) taken.push(data.listingId);
    } catch (thrown) {
      if (!(thrown instanceof LegworkApiError) || thrown.status >= 500) throw thrown;
      refused.push(`${name}: ${thrown.message}`);
    }
  }
  const lines = [`The service took the papers of ${taken.length} listings that it had lost.`, ...refused];
  return { data: { taken, refused }, text: lines.join('\n') };
}

async function papersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const kept = names.filter((name) => name.endsWith(ENDING)).sort();
  if (kept.length > 0) return kept;
  throw new UserError(
    `There are no papers in ${folder}: name the folder that legwork papers keep ID --to FOLDER wrote to.`,
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
