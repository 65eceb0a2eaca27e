import type { Requirements } from '@legwork/protocol/contract';
import { missedRequirement, type Qualified, whyItWaits } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import type { Db, Trx } from '../db/connect.js';
import { qualifiedAmong } from '../db/reputations.js';
import type { TermsJson } from '../db/schema.js';

/** What of a listing decides who gets a leg of it. */
export interface Admitting {
  terms: TermsJson | null;
  requirements: Requirements | null;
}

type Judging = Pick<AppContext, 'config' | 'clock'>;

/** Why an agent gets no leg of a listing. */
export interface Obstacle {
  code: 'requirements_not_met' | 'agent_waits';
  /** In words, about the agent. */
  what: string;
}

/** Whether it has to be known who an agent is before it gets a leg. */
export const asksWho = ({ terms, requirements }: Admitting): boolean => terms !== null || requirements !== null;

/** An agent without a reputation account. */
export const unknownAgent = (agentPubkey: string): Qualified => ({
  agentPubkey,
  reliabilityScore: 0,
  legsCompleted: 0,
  capabilities: [],
  legsWaiting: 0,
  lapses: [],
});

/** What keeps the agent from a leg of the listing now; undefined: nothing. Rules T-53, T-110, T-111. */
export function obstacleTo({ config, clock }: Judging, listing: Admitting, agent: Qualified): Obstacle | undefined {
  const missing = missedRequirement(listing.requirements, agent);
  if (missing !== undefined) return { code: 'requirements_not_met', what: missing };
  if (listing.terms === null) return undefined;
  const why = whyItWaits(agent, config.waitingLegs, clock().getTime());
  return why === undefined ? undefined : { code: 'agent_waits', what: why };
}

/** The bids of agents that nothing keeps from a leg of the listing, in their order. */
export async function admissible<Bid extends { agent_pubkey: string }>(
  context: Judging,
  from: Db | Trx,
  listing: Admitting,
  bids: readonly Bid[],
): Promise<Bid[]> {
  if (!asksWho(listing)) return [...bids];
  const agents = await qualifiedAmong(
    from,
    bids.map((bid) => bid.agent_pubkey),
  );
  return bids.filter(
    ({ agent_pubkey: key }) => obstacleTo(context, listing, agents.get(key) ?? unknownAgent(key)) === undefined,
  );
}
