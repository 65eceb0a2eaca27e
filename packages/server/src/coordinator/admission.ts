import { PRIVATE_MIN_COMPLETED, type Requirements } from '@legwork/protocol/contract';
import {
  missedRequirement,
  type PrivateHashes,
  type Qualified,
  requiredBy,
  whyItWaits,
  whyNothingPrivate,
} from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import type { Db, Trx } from '../db/connect.js';
import { capabilitiesOf, qualifiedAmong } from '../agents/reputationRows.js';
import type { TermsJson } from '../db/schema.js';

/** The fields of a listing that decide which agents get a leg of it. */
export interface Admitting {
  terms: TermsJson | null;
  requirements: Requirements | null;
  /** Of a package with private parts. */
  private_hashes?: PrivateHashes | null;
}

type Judging = Pick<AppContext, 'config' | 'clock'>;

/** Why an agent gets no leg of a listing. */
export interface Obstacle {
  code: 'requirements_not_met' | 'agent_waits';
  /** In words, about the agent. */
  what: string;
}

/** True if an agent's qualifications have to be known before it gets a leg. */
export const asksWho = (listing: Admitting): boolean => listing.terms !== null || requiredOf(listing) !== null;

const isPrivate = ({ private_hashes: hashes }: Admitting) => hashes !== undefined && hashes !== null;
const requiredOf = (listing: Admitting) => requiredBy(listing.requirements, isPrivate(listing));

/** An agent without a reputation account. */
export const unknownAgent = (agentPubkey: string): Qualified => ({
  agentPubkey,
  reliabilityScore: 0,
  legsCompleted: 0,
  capabilities: capabilitiesOf(agentPubkey, []),
  legsWaiting: 0,
  lapses: [],
  uncarried: [],
});

/** The reason that the agent cannot have a leg of the listing now, or undefined. Rules T-53, T-110, T-111, S-150, S-151. */
export function obstacleTo({ config, clock }: Judging, listing: Admitting, agent: Qualified): Obstacle | undefined {
  const missing = missedRequirement(requiredOf(listing), agent);
  if (missing !== undefined) {
    return { code: 'requirements_not_met', what: isPrivate(listing) ? `${missing}${OF_PRIVATE}` : missing };
  }
  const nowMs = clock().getTime();
  const why =
    (isPrivate(listing) ? whyNothingPrivate(agent.uncarried, nowMs) : undefined) ??
    (listing.terms === null ? undefined : whyItWaits(agent, config.waitingLegs, nowMs));
  return why === undefined ? undefined : { code: 'agent_waits', what: why };
}

const OF_PRIVATE = ` (a package with private parts requires ${PRIVATE_MIN_COMPLETED} completed legs, unless its requirements say minCompleted)`;

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
