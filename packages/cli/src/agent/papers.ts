import { papersFolderOf, papersIn, readPapers, shellWord, writePapers } from '@legwork/agents';
import { LegworkApiError, papersOf } from '@legwork/sdk';
import { UserError } from '../screen.js';
import type { Agent } from './agent.js';
import { kindOf } from './exits.js';
import type { Shown } from './output.js';

interface Kept {
  readonly id: string;
  readonly to?: string;
}

/** Keeps what a listing says in a file of its own, for a service that may lose it. */
export async function keep(agent: Agent, { id, to }: Kept): Promise<Shown> {
  const { client, settings } = agent;
  const isTask = (await kindOf({ client }, id)) === 'task';
  const listing = isTask ? await client.getDigitalTask({ taskId: id }) : await client.getPackage({ packageId: id });
  const path = await writePapers(to ?? papersFolderOf(settings.key), papersOf(listing));
  const back = agent.command(to === undefined ? 'papers give' : `papers give ${shellWord(to)}`);
  return { data: { path }, text: `Kept in ${path}. A service that lost it takes it back: ${back}` };
}

/** Gives a service what it lost of listings. What it has already, or does not take, is told; the rest goes on. */
export async function give(agent: Agent, { folder: named }: { readonly folder?: string }): Promise<Shown> {
  const folder = named ?? papersFolderOf(agent.settings.key);
  const taken: string[] = [];
  const refused: string[] = [];
  for (const id of await keptIn(folder)) {
    const papers = await readPapers(folder, id);
    if (papers === undefined) {
      refused.push(`${id}: its file holds no papers`);
      continue;
    }
    try {
      const { isNew } = await agent.client.givePapers(papers);
      if (isNew) taken.push(id);
    } catch (thrown) {
      if (!(thrown instanceof LegworkApiError) || thrown.status >= 500) throw thrown;
      refused.push(`${id}: ${thrown.message}`);
    }
  }
  const listings = taken.length === 1 ? 'listing' : 'listings';
  const lines = [`The service took the papers of ${taken.length} ${listings} that it had lost.`, ...refused];
  return { data: { taken, refused }, text: lines.join('\n') };
}

async function keptIn(folder: string): Promise<string[]> {
  const kept = await papersIn(folder);
  if (kept.length > 0) return kept;
  throw new UserError(
    `There are no papers in ${folder}: a key keeps those of its own listings beside it, and legwork papers keep ID writes others.`,
  );
}
