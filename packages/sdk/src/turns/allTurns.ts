import type { LegTurnView } from '@legwork/protocol/contract';
import type { RelayClient } from '../client.js';
import { everyItem } from '../pages.js';

/** Reads all turns of a key, however many others name it in; those that end first come first. */
export async function allTurns(client: Pick<RelayClient, 'listTurns'>, pubkey: string): Promise<LegTurnView[]> {
  const turns: LegTurnView[] = [];
  for await (const turn of everyItem(client.listTurns, { pubkey })) turns.push(turn);
  return turns.toSorted((one, other) => endOf(one) - endOf(other));
}

const endOf = ({ until }: LegTurnView) => until?.getTime() ?? Infinity;
