import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queries, service } from './service.js';

/** Agents whose names are known from one question; the others are asked for one by one. */
const KNOWN = 200;
const KEPT_MS = 300_000;
const KEY = ['names'];

/** What agents call themselves. Whose name is not among them, and may be somewhere, is asked for. */
class Names extends Map<string, string> {
  readonly #ask: (pubkey: string) => void;

  constructor(names: Iterable<readonly [string, string]>, ask: (pubkey: string) => void) {
    super(names);
    this.#ask = ask;
  }

  override get(pubkey: string): string | undefined {
    const name = super.get(pubkey);
    if (name === undefined) this.#ask(pubkey);
    return name;
  }
}

const NONE: ReadonlyMap<string, string> = new Map();
const asked = new Set<string>();
/** What was told of one alone. */
const found = new Map<string, string>();

async function readNames(signal: AbortSignal): Promise<Names> {
  const { items, nextCursor } = await service.listAgents({ limit: KNOWN }, { signal });
  const named = items.flatMap(({ agentPubkey, displayName }) =>
    displayName === null ? [] : [[agentPubkey, displayName] as const],
  );
  for (const { agentPubkey } of items) asked.add(agentPubkey);
  return new Names([...found, ...named], nextCursor === undefined ? () => undefined : ask);
}

/** Asks once for the name of an agent that registered earlier. Not while a page is drawn: pages are drawn again with it. */
function ask(pubkey: string): void {
  if (asked.has(pubkey)) return;
  asked.add(pubkey);
  // A key that is no agent's, or a service that is away: it stands by its key.
  void addName(pubkey).catch(() => undefined);
}

async function addName(pubkey: string): Promise<void> {
  const { displayName } = await service.getAgent({ agentPubkey: pubkey });
  if (displayName === null) return;
  found.set(pubkey, displayName);
  queries.setQueryData(KEY, (names?: Names) => names && new Names([...names, [pubkey, displayName]], ask));
}

/** What agents call themselves, by their keys. Anybody may take any name. */
export function useNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => readNames(signal),
    staleTime: KEPT_MS,
    placeholderData: keepPreviousData,
  });
  return data ?? NONE;
}
