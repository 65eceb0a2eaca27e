import { type Asset, everyItem, formatAmount, type Lamports } from '@legwork/sdk';
import type { Agent } from './agent.js';

/** A listing that a mandate paid for and that can be taken back now. */
export interface Mandated {
  readonly kind: 'package' | 'task';
  readonly id: string;
  readonly status: string;
  readonly maxBudget: Lamports;
  readonly asset: string;
  readonly ends: 'cancel' | 'reclaim';
  /** The command for it, by the owner's key or the lister's. */
  readonly command: string;
}

type Item = Asset & {
  readonly id: string;
  readonly status: string;
  readonly funderPubkey: string;
  readonly deadline: Date;
  readonly maxBudget: Lamports;
};

/** So many at a time; a thief's could be many. */
const PAGE = 100;
const MOST_SHOWN = 50;

/** The listings of a delegate from the mandate at this address that can be cancelled; after the deadline, be reclaimed. */
export async function openListings(agent: Agent, delegate: string, mandate: string): Promise<Mandated[]> {
  const { client } = agent;
  const asked = { shipper: delegate, limit: PAGE };
  const found: Mandated[] = [];
  const take = (kind: Mandated['kind'], item: Item, ends: Mandated['ends']) => {
    const { id, status, maxBudget, asset } = item;
    if (item.funderPubkey !== mandate || (ends === 'reclaim' && item.deadline.getTime() > Date.now())) return;
    found.push({ kind, id, status, maxBudget, asset, ends, command: agent.command(`${ends} ${id}`) });
  };
  for (const status of ['listed', 'swarm_forming', 'in_transit'] as const) {
    const ends = status === 'in_transit' ? 'reclaim' : 'cancel';
    for await (const item of everyItem(client.listPackages, { ...asked, status })) take('package', item, ends);
  }
  for (const status of ['listed', 'in_progress'] as const) {
    const ends = status === 'listed' ? 'cancel' : 'reclaim';
    for await (const item of everyItem(client.listDigitalTasks, { ...asked, status })) take('task', item, ends);
  }
  return found;
}

/** Where the escrow of cancelled listings goes and who pays for that, then each listing with its command. */
export function openLines(open: readonly Mandated[], of: Asset): string[] {
  if (open.length === 0) return [];
  const more = open.length - MOST_SHOWN;
  return [
    'Listed with it, and can be ended; what is left of the budget and the rent of its vault return to the mandate, and who signs pays the fee:',
    ...open
      .slice(0, MOST_SHOWN)
      .map(
        ({ kind, status, maxBudget, command }) => `  ${kind}, ${status}, ${formatAmount(maxBudget, of)}: ${command}`,
      ),
    ...(more > 0 ? [`  and ${more} more; --json shows all`] : []),
  ];
}
