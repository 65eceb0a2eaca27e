import { legUnderWay, recipientOf } from '@legwork/protocol/rules';
import { allTurns, everyItem, formatAmount, sayMove, serviceConfig } from '@legwork/sdk';
import type { DigitalTaskView, LegTurnView, MoveAction, PackageView, QueuedLeg, LegworkClient } from '@legwork/sdk';

/** Something that waits for one agent, and for nobody else. */
export interface Due {
  readonly act: 'hand_in' | 'take_over' | 'carry' | 'receive' | 'move' | 'cancel' | 'reclaim';
  /** The action that is due; texts of others in it are quoted. */
  readonly what: string;
  /** Null: there is no end to it. */
  readonly until: Date | null;
  /** The cost of doing nothing. */
  readonly silence: string;
  /** The package or the task, and the leg to hand in, to carry or to sign for; its first leg has index 0. */
  readonly packageId?: string;
  readonly taskId?: string;
  readonly legId?: string;
  readonly legIndex?: number;
  /** Of a leg with terms: the move that others wait for this agent to make, or null if none now. */
  readonly awaited?: MoveAction | null;
  /** Of a leg with terms: what this agent can do, what is awaited first. */
  readonly actions?: readonly MoveAction[];
  /** The effect of each of them. */
  readonly moves?: LegTurnView['moves'];
  /** The whole of what the leg of a task asks for, in the words of its poster. */
  readonly instruction?: string;
  /** Where the own stretch of the way begins and ends, degrees. */
  readonly pickupLat?: number;
  readonly pickupLng?: number;
  readonly dropoffLat?: number;
  readonly dropoffLng?: number;
  /** The key that signs for the parcel at the end of it. */
  readonly recipientPubkey?: string;
}

/** A duty without an end comes after all that have one, and before moves that nobody awaits. */
const MAX_DATE_MS = 8.64e15;

/** The key whose move it is, and the service to ask. */
interface Mine {
  readonly client: LegworkClient;
  readonly pubkey: string;
}

type PhysicalLeg = Extract<QueuedLeg, { kind: 'physical' }>;
type DigitalLeg = Extract<QueuedLeg, { kind: 'digital' }>;

/**
 * The actions that wait for this agent now, soonest first: as courier, worker, shipper and poster. Rule A-90.
 *
 * @throws {LegworkApiError}, {LegworkNetworkError}
 */
export async function dueNow(client: LegworkClient, pubkey: string, nowMs: number = Date.now()): Promise<Due[]> {
  const mine = { client, pubkey };
  const parts = [work(mine), parcelsUnderWay(mine), parcelsToReceive(mine), escrowToTakeBack(mine, nowMs)];
  const found = (await Promise.all(parts)).flat();
  const endOf = ({ until, awaited }: Due) => (awaited === null ? Infinity : (until?.getTime() ?? MAX_DATE_MS));
  return found.sort((a, b) => (endOf(a) === endOf(b) ? 0 : endOf(a) - endOf(b)));
}

/** Results to hand in, and the legs with terms whose clock runs for this agent; those of tasks among them have to be done, too. */
async function work({ client, pubkey }: Mine): Promise<Due[]> {
  const turns = await allTurns(client, pubkey);
  const legs = new Map<string, DigitalLeg>();
  for await (const leg of everyItem(client.listAgentLegs, { agentPubkey: pubkey, status: 'in_progress' })) {
    if (leg.kind === 'digital') legs.set(leg.id, leg);
  }
  // Of legs with terms, the turns say it.
  const plain = [...legs.values()].filter(({ stage, hasResult }) => stage === null && !hasResult);
  return [...plain.map(resultOf), ...turns.map((turn) => turnDue(turn, pubkey, legs.get(turn.legId)))];
}

function resultOf({ id, taskId, legIndex, taskTitle, instruction, dueAt, paymentPerLeg, ...of }: DigitalLeg): Due {
  return {
    act: 'hand_in',
    what:
      `Hand in leg ${legIndex + 1} of ${quoted(taskTitle)}, which pays ${formatAmount(paymentPerLeg, of)}: ` +
      quoted(instruction),
    until: dueAt,
    silence: 'the leg goes to others, stays among those you accepted, and you get no other leg of this task',
    taskId,
    legId: id,
    legIndex,
    instruction,
  };
}

async function parcelsUnderWay({ client, pubkey }: Mine): Promise<Due[]> {
  const due: Due[] = [];
  for await (const leg of everyItem(client.listAgentLegs, { agentPubkey: pubkey, status: 'pending' })) {
    // Of legs with terms, the turns say it.
    if (leg.kind !== 'physical' || leg.stage !== null) continue;
    if (leg.swarmStatus !== 'active' || leg.finality === 'reverted') continue;
    if (leg.isTurn) due.push(carryOf(leg));
    // Its parcel is with the courier before.
    else if (legUnderWay(await client.getSwarm({ swarmId: leg.swarmId }))?.legIndex === leg.legIndex - 1) {
      due.push(takeOverOf(leg));
    }
  }
  return due;
}

function carryOf(leg: PhysicalLeg): Due {
  const { packageId, id: legId, legIndex, packageDescription, deadline, recipientPubkey, agreedPayment } = leg;
  const from = legIndex === 0 ? `fetch it at ${leg.pickupLat}, ${leg.pickupLng} and ` : '';
  return {
    act: 'carry',
    what:
      `Carry ${quoted(packageDescription)} for ${formatAmount(agreedPayment, leg)}: ${from}hand it to ${recipientPubkey} at ` +
      `${leg.dropoffLat}, ${leg.dropoffLng}, who signs for it`,
    until: deadline,
    silence: 'you are not paid, the leg stays among those you accepted, and the shipper takes the escrow back',
    packageId,
    legId,
    legIndex,
    recipientPubkey,
    ...wayOf(leg),
  };
}

function takeOverOf(leg: PhysicalLeg): Due {
  const { packageId, legIndex, packageDescription, deadline, recipientPubkey, takeOverLegId } = leg;
  return {
    act: 'take_over',
    what: `Take over ${quoted(packageDescription)} at ${leg.pickupLat}, ${leg.pickupLng}, and sign for it once you have it`,
    until: deadline,
    silence: 'the courier before you is not paid, you have nothing to carry, and the shipper takes the escrow back',
    packageId,
    legIndex: legIndex - 1,
    recipientPubkey,
    ...(takeOverLegId !== null && { legId: takeOverLegId }),
    ...wayOf(leg),
  };
}

function wayOf({ pickupLat, pickupLng, dropoffLat, dropoffLng }: PhysicalLeg) {
  return { pickupLat, pickupLng, dropoffLat, dropoffLng };
}

async function parcelsToReceive({ client, pubkey }: Mine): Promise<Due[]> {
  const due: Due[] = [];
  for await (const { id, terms } of everyItem(client.listPackages, { shipper: pubkey, status: 'in_transit' })) {
    if (terms !== null) continue;
    const parcel = await client.getPackage({ packageId: id });
    const { swarm, description, deadline, destLat, destLng, finality } = parcel;
    const current = finality === 'reverted' ? undefined : legUnderWay(swarm);
    if (current === undefined || recipientOf(parcel, current).role !== 'shipper') continue;
    due.push({
      act: 'receive',
      what: `Receive ${quoted(description)} from ${current.agentPubkey} at ${destLat}, ${destLng}, and sign for it once you have it`,
      until: deadline,
      silence: 'the last courier is not paid, and nothing of the escrow returns to you until you sign or reclaim it',
      packageId: id,
      legId: current.id,
      legIndex: current.legIndex,
    });
  }
  return due;
}

function turnDue(turn: LegTurnView, pubkey: string, ownLeg: DigitalLeg | undefined): Due {
  const { legId, legIndex, stage, until, silence, agentPubkey, actions, moves, awaited } = turn;
  const whose = agentPubkey === pubkey ? 'your' : `${agentPubkey}'s`;
  const [listing, id] =
    turn.kind === 'package' ? (['packageId', turn.packageId] as const) : (['taskId', turn.taskId] as const);
  const { instruction } = ownLeg ?? {};
  const asked = instruction === undefined ? '' : `. It asks: ${quoted(instruction)}`;
  return {
    act: 'move',
    what: `${capital(whose)} leg ${legIndex + 1} of ${turn.kind} ${id} is ${stage}. ${headline(turn)}${asked}`,
    until,
    silence,
    [listing]: id,
    legId,
    legIndex,
    awaited,
    actions,
    moves,
    ...(instruction !== undefined && { instruction }),
  };
}

/** The awaited move; else the move that the key may come to make, and when. */
function headline({ awaited, moves }: LegTurnView): string {
  const first = moves.find(({ action }) => action === awaited) ?? moves.find(({ action }) => action !== 'agree');
  const said = first === undefined ? '' : `${first.action}: ${sayMove(first)}`;
  return awaited === null
    ? `Nothing is asked of you yet. What you may do is ${said}`
    : `What is awaited of you is ${said}`;
}

const capital = (words: string) => words.replace(/^./, (first) => first.toUpperCase());

/** Listings that end only when their poster says so: the deadline has passed, and the escrow is the poster's, or of a mandate that it lists from. */
async function escrowToTakeBack({ client, pubkey }: Mine, nowMs: number): Promise<Due[]> {
  const due: Due[] = [];
  const { coordinatorPubkey } = await serviceConfig(client);
  const isLeft = ({ deadline, funderPubkey, finality }: PackageView | DigitalTaskView) =>
    deadline.getTime() <= nowMs && funderPubkey !== coordinatorPubkey && finality !== 'reverted';
  for (const status of ['listed', 'in_transit'] as const) {
    for await (const item of everyItem(client.listPackages, { shipper: pubkey, status })) {
      if (isLeft(item)) due.push({ ...endOf(status, item, item.description), packageId: item.id });
    }
  }
  for (const status of ['listed', 'in_progress'] as const) {
    for await (const item of everyItem(client.listDigitalTasks, { shipper: pubkey, status })) {
      if (isLeft(item)) due.push({ ...endOf(status, item, item.title), taskId: item.id });
    }
  }
  return due;
}

function endOf(status: string, listing: PackageView | DigitalTaskView, words: string): Due {
  const { funderPubkey, shipperPubkey } = listing;
  const where = funderPubkey === shipperPubkey ? '' : `; it returns to ${funderPubkey}, which paid`;
  return {
    act: status === 'listed' ? 'cancel' : 'reclaim',
    what: `Take back what is left of ${formatAmount(listing.maxBudget, listing)}: the deadline of ${quoted(words)} has passed${where}`,
    until: null,
    silence: 'the escrow stays locked',
  };
}

const MOST_QUOTED = 200;

/** Words of others on one line, cut where they are long, so that they cannot pass for ours. */
function quoted(words: string): string {
  const line = words.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return JSON.stringify(line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED - 1)}…` : line);
}
