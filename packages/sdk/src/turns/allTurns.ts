import type { LegTurnView } from '@legwork/protocol/contract';
import { everyItem } from '../client.js';
import type { LegworkClient } from '../client.js';
import type { ListingOf } from './readLeg.js';

/** Reads all turns of a key, however many others name it in; those that end first come first. */
export async function allTurns(client: Pick<LegworkClient, 'listTurns'>, pubkey: string): Promise<LegTurnView[]> {
  const turns: LegTurnView[] = [];
  for await (const turn of everyItem(client.listTurns, { pubkey })) turns.push(turn);
  return turns.toSorted((one, other) => endOf(one) - endOf(other));
}

const endOf = ({ until }: LegTurnView) => until?.getTime() ?? Infinity;

/** The listing of a leg on which a key must act, or which it carries or works on, or undefined. */
export async function listingOfLeg(
  client: Pick<LegworkClient, 'listTurns' | 'listAgentLegs'>,
  pubkey: string,
  legId: string,
): Promise<ListingOf | undefined> {
  const turn = (await allTurns(client, pubkey)).find((one) => one.legId === legId);
  if (turn !== undefined) return turn.kind === 'package' ? { packageId: turn.packageId } : { taskId: turn.taskId };
  const { items: legs } = await client.listAgentLegs({ agentPubkey: pubkey });
  const own = legs.find((leg) => leg.id === legId);
  if (own === undefined) return undefined;
  return own.kind === 'physical' ? { packageId: own.packageId } : { taskId: own.taskId };
}
