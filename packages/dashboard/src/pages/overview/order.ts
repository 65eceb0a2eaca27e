import type { Relay } from '@legwork/protocol/contract';

const RANK: Readonly<Record<Relay['status'], number>> = {
  in_transit: 0,
  swarm_forming: 1,
  listed: 2,
  delivered: 3,
  failed: 4,
};

/** What is on its way first, then what is open, then what ended; the newest first among equals, and the selected before all. */
export function inOrder(relays: readonly Relay[], selected: string | undefined): readonly Relay[] {
  const rank = ({ id, status }: Relay) => (id === selected ? -1 : RANK[status]);
  return relays.toSorted((a, b) => rank(a) - rank(b));
}
