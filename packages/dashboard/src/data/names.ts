import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { service } from './service.js';

/** Agents whose names are known from one question; the others stand by their keys. */
const KNOWN = 200;
const KEPT_MS = 300_000;

const NONE: ReadonlyMap<string, string> = new Map();

async function readNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { items } = await service.listAgents({ limit: KNOWN }, { signal });
  return new Map(
    items.flatMap(({ agentPubkey, displayName }) => (displayName === null ? [] : [[agentPubkey, displayName]])),
  );
}

/** What agents call themselves, by their keys: of those that registered last. Anybody may take any name. */
export function useNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['names'],
    queryFn: ({ signal }) => readNames(signal),
    staleTime: KEPT_MS,
    placeholderData: keepPreviousData,
  });
  return data ?? NONE;
}
