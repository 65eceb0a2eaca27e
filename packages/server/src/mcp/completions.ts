import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import { idsThatBegin } from '../db/lookup.js';
import type { Caller } from '../operations/run.js';
import type { Market } from './marketOffer.js';

/** So many are offered, the newest first. */
const MOST = 10;
/** Of an id, hyphens left away. */
const ID_CHARACTERS = 32;

type Complete = (market: Market, begun: string, reader: Caller) => Promise<string[]>;

const idsOf =
  (kind: 'package' | 'task'): Complete =>
  async ({ context }, begun) => {
    const hex = begun.replaceAll('-', '').toLowerCase();
    if (!/^[0-9a-f]*$/.test(hex) || hex.length > ID_CHARACTERS) return [];
    return (await idsThatBegin(context.db, kind, hex)).map(({ id }) => id);
  };

/** Agents whose names or keys begin so. */
const agents: Complete = async ({ context, runs }, begun, reader) => {
  const q = begun.trim();
  // No name or key has a control character, and the database takes none.
  if (q.length > 80 || /\p{Cc}/u.test(q)) return [];
  const wanted = { limit: MOST, order: 'newest' as const, ...(q !== '' && { q }) };
  const { answer } = await runs.listAgents(context, wanted, reader);
  return answer.map(({ agentPubkey }) => agentPubkey);
};

/** By the name of a template's variable or a prompt's argument, which means the same wherever it stands. */
const COMPLETIONS: Readonly<Record<string, Complete>> = {
  packageId: idsOf('package'),
  taskId: idsOf('task'),
  agentPubkey: agents,
  shipperPubkey: agents,
};

/** The completions of an argument of a prompt or a resource's address; none where nothing is known of it. Rule S-37. */
export async function complete(
  market: Market,
  { argument }: CompleteRequestParams,
  reader: Caller,
): Promise<CompleteResult> {
  const known = Object.hasOwn(COMPLETIONS, argument.name) ? COMPLETIONS[argument.name] : undefined;
  const values = await known?.(market, argument.value, reader);
  return { completion: { values: values ?? [], hasMore: (values?.length ?? 0) >= MOST } };
}
