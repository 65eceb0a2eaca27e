import { papersFolderOf, papersIn, readPapers, shellWord, writePapers } from '@legwork/agents';
import { LegworkApiError, papersOf } from '@legwork/sdk';
import { messageOf, UserError } from '../screen.js';
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

/** The most refusals that a person is shown, one a line. */
const MOST_SHOWN = 20;

/** Gives a service the listings' texts that it lost. A refusal is told at once, and the rest goes on. */
export async function* give(agent: Agent, { folder: named }: { readonly folder?: string }): AsyncGenerator<Shown> {
  const folder = named ?? papersFolderOf(agent.settings.key);
  const kept = await keptIn(folder);
  const taken: string[] = [];
  const refused: string[] = [];
  for (const id of kept) {
    const outcome = await giveOne(agent, folder, id);
    if (outcome === 'new') taken.push(id);
    if (outcome === 'new' || outcome === 'known') continue;
    refused.push(`${id}: ${outcome.why}`);
    if (refused.length <= MOST_SHOWN) yield { data: undefined, text: refused.at(-1) ?? '' };
  }
  const known = kept.length - taken.length - refused.length;
  const more = refused.length > MOST_SHOWN ? ', all of them with --json' : '';
  const files = kept.length === 1 ? '1 file' : `${kept.length} files`;
  const text = `${files}: ${taken.length} taken, ${known} known to the service already, ${refused.length} refused${more}.`;
  yield { data: { taken, refused }, text };
}

/** @throws when the service does not answer, or cannot: the others would fare no better */
async function giveOne(agent: Agent, folder: string, id: string): Promise<'new' | 'known' | { readonly why: string }> {
  try {
    const papers = await readPapers(folder, id);
    if (papers === undefined) return { why: 'its file holds no papers' };
    return (await agent.client.givePapers(papers)).isNew ? 'new' : 'known';
  } catch (thrown) {
    const isOfFile = thrown instanceof Error && 'syscall' in thrown;
    const isRefused = thrown instanceof LegworkApiError && thrown.status < 500;
    if (isOfFile || isRefused) return { why: messageOf(thrown) };
    throw thrown;
  }
}

async function keptIn(folder: string): Promise<string[]> {
  const kept = await papersIn(folder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOTDIR'
      ? new UserError(`${folder} is no folder: name the one that the papers are in.`)
      : error;
  });
  if (kept.length > 0) return kept;
  throw new UserError(
    `There are no papers in ${folder}: a key keeps those of its own listings beside it, and legwork papers keep ID writes others.`,
  );
}
