import { everyItem, type MoveAction, type PackageDetail } from '@legwork/sdk';
import { UserError } from '../screen.js';
import type { Agent } from './agent.js';

/** Which leg a command is about. */
export interface LegInput {
  readonly leg: string;
  /** Id of its package. */
  readonly package?: string;
}

/** A leg with terms in its package. */
export interface LegAtHand {
  readonly parcel: PackageDetail & { readonly terms: NonNullable<PackageDetail['terms']> };
  readonly leg: NonNullable<PackageDetail['swarm']>['legs'][number];
}

/** Moves that post a stake. */
const POSTING: ReadonlySet<MoveAction> = new Set(['accept', 'take', 'dispute']);
/** The most that the fees of a move cost, lamports. */
const FEES_LAMPORTS = 2_000_000n;

/** Reads the leg. @throws UserError when the service has no such leg with terms, or its package is unknown */
export async function legAtHand(agent: Agent, { leg: legId, package: packageId }: LegInput): Promise<LegAtHand> {
  const parcel = await agent.client.getPackage({ packageId: packageId ?? (await packageOf(agent, legId)) });
  const leg = parcel.swarm?.legs.find(({ id }) => id === legId);
  if (leg === undefined) throw new UserError(`Package ${parcel.id} has no leg ${legId} now.`);
  const { terms } = parcel;
  if (terms === null) {
    throw new UserError(`Package ${parcel.id} has no terms: "legwork handoff ${parcel.id}" is all there is to sign.`);
  }
  return { parcel: { ...parcel, terms }, leg };
}

/** The most that a move may cost: its fees, and the stake that it posts. */
export function mostForMove({ parcel }: LegAtHand, action: MoveAction): bigint {
  return FEES_LAMPORTS + (POSTING.has(action) ? parcel.terms.stakeLamports : 0n);
}

async function packageOf(agent: Agent, legId: string): Promise<string> {
  const pubkey = await agent.pubkey();
  const { items: turns } = await agent.client.listTurns({ pubkey });
  const turn = turns.find((one) => one.legId === legId);
  if (turn?.kind === 'package') return turn.packageId;
  const { items: legs } = await agent.client.listAgentLegs({ agentPubkey: pubkey });
  const own = legs.find((one) => one.kind === 'physical' && one.id === legId);
  if (own?.kind === 'physical') return own.packageId;
  const posted = await postedWith(agent, pubkey, legId);
  if (posted !== undefined) return posted;
  throw new UserError(`"legwork turns" lists no leg ${legId} for ${pubkey}. Give its package with --package.`);
}

/** The shipper of a package under way may have no turn in it, and still signs its first pickup. */
async function postedWith({ client }: Agent, shipper: string, legId: string): Promise<string | undefined> {
  for await (const { id: packageId } of everyItem(client.listPackages, { shipper, status: 'in_transit' })) {
    const { swarm } = await client.getPackage({ packageId });
    if (swarm?.legs.some(({ id }) => id === legId)) return packageId;
  }
  return undefined;
}
