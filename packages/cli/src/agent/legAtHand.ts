import {
  type Asset,
  type DigitalTaskDetail,
  everyItem,
  isInSol,
  listingOfLeg,
  type MoveAction,
  type PackageDetail,
  type Terms,
} from '@legwork/sdk';
import { UserError } from '../screen.js';
import type { Session } from '@legwork/agents';
import type { Agent } from './agent.js';

type From = Pick<Agent, 'client' | 'command'>;

/** Which leg a command is about. */
export interface LegInput {
  readonly leg: string;
  /** Id of its package or of its digital task. */
  readonly package?: string;
  readonly task?: string;
}

/** The listing that a leg is part of. */
type Of = { readonly packageId: string } | { readonly taskId: string };

/** A leg with terms in its package or task. */
export type LegAtHand = { readonly of: Of; readonly terms: Terms } & (
  | {
      readonly kind: 'package';
      readonly listing: PackageDetail;
      readonly leg: NonNullable<PackageDetail['swarm']>['legs'][number];
    }
  | { readonly kind: 'task'; readonly listing: DigitalTaskDetail; readonly leg: DigitalTaskDetail['legs'][number] }
);

/** Moves that post a stake. */
const POSTING: ReadonlySet<MoveAction> = new Set(['accept', 'take', 'dispute']);
/** The most that the fees of a move cost, lamports. */
const FEES_LAMPORTS = 2_000_000n;

/** Reads the leg. @throws UserError when the service has no such leg with terms, or what it is part of is unknown */
export async function legAtHand(
  agent: Agent,
  { leg: legId, package: packageId, task: taskId }: LegInput,
): Promise<LegAtHand> {
  const given = taskId === undefined ? packageId && { packageId } : { taskId };
  return legOf(agent, given || (await listingOf(agent, legId)), legId);
}

/** Reads the leg of a package or task that is known. @throws UserError when it has no such leg with terms */
export function legOf(from: From, of: Of, legId: string): Promise<LegAtHand> {
  return 'taskId' in of ? inTask(from, of, legId) : inPackage(from, of, legId);
}

async function inPackage(agent: From, of: { packageId: string }, legId: string): Promise<LegAtHand> {
  const listing = await agent.client.getPackage(of);
  const leg = listing.swarm?.legs.find(({ id }) => id === legId);
  if (leg === undefined) throw new UserError(`Package ${listing.id} has no leg ${legId} now.`);
  const { terms } = listing;
  if (terms !== null) return { kind: 'package', of, terms, listing, leg };
  throw new UserError(
    `Package ${listing.id} has no terms; all there is to sign: ${agent.command(`handoff ${listing.id}`)}`,
  );
}

async function inTask(agent: From, of: { taskId: string }, legId: string): Promise<LegAtHand> {
  const listing = await agent.client.getDigitalTask(of);
  const leg = listing.legs.find(({ id }) => id === legId);
  if (leg === undefined) throw new UserError(`Task ${listing.id} has no leg ${legId}.`);
  const { terms } = listing;
  if (terms !== null) return { kind: 'task', of, terms, listing, leg };
  throw new UserError(
    `Task ${listing.id} has no terms, and nothing is signed; this hands its result in: ${agent.command(`done ${legId} --file FILE`)}`,
  );
}

/** Opens the key for a move, which may cost its fees and the stake that it posts. */
export function sessionFor(agent: Agent, { terms, listing }: LegAtHand, action: MoveAction): Promise<Session> {
  const stake = POSTING.has(action) ? terms.stake : 0n;
  return sessionStaking(agent, listing, stake);
}

/** Opens the key for a transaction that may cost its fees, and stake this much of an asset. */
export function sessionStaking(agent: Agent, of: Pick<Asset, 'asset'>, stake: bigint): Promise<Session> {
  if (isInSol(of)) return agent.session(FEES_LAMPORTS + stake);
  return agent.session(FEES_LAMPORTS, [], { asset: of.asset, amount: stake });
}

async function listingOf(agent: Agent, legId: string): Promise<Of> {
  const pubkey = await agent.pubkey();
  const found = (await listingOfLeg(agent.client, pubkey, legId)) ?? (await postedWith(agent, pubkey, legId));
  if (found !== undefined) return found;
  throw new UserError(
    `No leg ${legId} is among the turns of ${pubkey}, which this lists: ${agent.command('turns')}. Of another leg give the package or task with --package or --task.`,
  );
}

/** The poster may have no turn in it, and still signs a first pickup or an agreement. */
async function postedWith({ client }: Agent, shipper: string, legId: string): Promise<Of | undefined> {
  for await (const { id: packageId } of everyItem(client.listPackages, { shipper, status: 'in_transit' })) {
    const { swarm } = await client.getPackage({ packageId });
    if (swarm?.legs.some(({ id }) => id === legId)) return { packageId };
  }
  for await (const { id: taskId, legs } of everyItem(client.listDigitalTasks, { shipper, status: 'in_progress' })) {
    if (legs.some(({ id }) => id === legId)) return { taskId };
  }
  return undefined;
}
