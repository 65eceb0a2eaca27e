import type { Relay } from '@legwork/protocol/contract';

const RANK: Readonly<Record<Relay['status'], number>> = {
  in_transit: 0,
  swarm_forming: 1,
  listed: 2,
  delivered: 3,
  failed: 4,
};

/** Rows shown; the list of all packages has the others. */
const LENGTH = 12;

/**
 * What is on its way first, then what is open, then what ended, the newest first among equals. What is selected keeps its
 * place, or comes last where it would be beyond the end.
 */
export function rowsOf(relays: readonly Relay[], selected: string | undefined): readonly Relay[] {
  const ordered = relays.toSorted((a, b) => RANK[a.status] - RANK[b.status]);
  return ordered.filter(({ id }, at) => at < LENGTH || id === selected);
}
