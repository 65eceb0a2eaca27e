import { amountTold, type Asset, followEvents, type LegworkEvent, sayTold, serviceConfig } from '@legwork/sdk';
import type { Agent } from './agent.js';
import type { Shown } from './output.js';

interface WatchInput {
  readonly since?: number;
  readonly mine?: true;
}

/** The events of the service in words, until it is interrupted. */
export async function* watch(agent: Agent, { since, mine }: WatchInput): AsyncGenerator<Shown> {
  const own = mine && (await agent.pubkey());
  const { service: url } = agent.settings;
  const { assets } = await serviceConfig(agent.client);
  for await (const event of followEvents({ url, ...(since !== undefined && { since }) })) {
    if (own !== undefined && !isOf(event, own)) continue;
    const time = event.occurredAt.toISOString().slice(0, 19).replace('T', ' ');
    yield { data: event, text: `${String(event.seq).padStart(6)}  ${time}  ${wordsOf(event, assets)}` };
  }
}

/** Reports whether the event names the wallet. */
function isOf(event: LegworkEvent, pubkey: string): boolean {
  return (
    ('agentPubkey' in event && event.agentPubkey === pubkey) ||
    ('shipperPubkey' in event && event.shipperPubkey === pubkey)
  );
}

type Words = {
  readonly [Type in LegworkEvent['type']]: (
    event: Extract<LegworkEvent, { type: Type }>,
    assets: readonly Asset[],
  ) => string;
};

/** Of a package or a task. */
const ofListing = ({ packageId, taskId }: { packageId?: string | undefined; taskId?: string | undefined }) =>
  packageId === undefined ? `task ${taskId}` : `package ${packageId}`;
const legOf = ({ legIndex, legId }: { legIndex: number; legId: string }) => `leg ${legIndex + 1} (${legId})`;

const WORDS: Words = {
  PACKAGE_LISTED: ({ packageId, origin, destination, ...of }, assets) =>
    `package ${packageId} is listed: ${origin.lat},${origin.lng} -> ${destination.lat},${destination.lng}, up to ${sayTold(of, 'maxBudget', assets)}`,
  BID_STORED: ({ packageId, agentPubkey, ...of }, assets) =>
    `package ${packageId}: ${agentPubkey} bids ${amountTold(of, 'cost') === undefined ? 'a hidden price' : sayTold(of, 'cost', assets)}`,
  BID_WITHDRAWN: ({ packageId, agentPubkey }) => `package ${packageId}: ${agentPubkey} withdraws a bid`,
  SWARM_FORMED: ({ packageId, totalLegs, ...of }, assets) =>
    `package ${packageId}: a chain of ${totalLegs} is chosen for ${sayTold(of, 'total', assets)}`,
  BID_RECEIVED: ({ packageId, agentPubkey, ...leg }, assets) =>
    `package ${packageId}: ${agentPubkey} has ${legOf(leg)} for ${sayTold(leg, 'agreedPayment', assets)}`,
  LEG_CONFIRMED: ({ packageId, agentPubkey, ...leg }, assets) =>
    `package ${packageId}: ${legOf(leg)} is done, ${agentPubkey} is paid ${sayTold(leg, 'payment', assets)}`,
  PACKAGE_DELIVERED: ({ packageId, ...of }, assets) =>
    `package ${packageId} is delivered, ${sayTold(of, 'refund', assets)} return to its funder`,
  PACKAGE_FAILED: ({ packageId, failureReason }) => `package ${packageId} is ${failureReason}`,
  TASK_LISTED: ({ taskId, title, numLegs, ...of }, assets) =>
    `task ${taskId} is listed: ${JSON.stringify(title)}, ${numLegs} legs for ${sayTold(of, 'maxBudget', assets)}`,
  TASK_LEG_CLAIMED: ({ taskId, agentPubkey, isWorkable, ...leg }) =>
    `task ${taskId}: ${agentPubkey} ${isWorkable ? 'claims' : 'reserves'} ${legOf(leg)}`,
  TASK_LEG_ASSIGNED: ({ taskId, agentPubkey, dueAt, ...leg }) =>
    `task ${taskId}: ${agentPubkey} has ${legOf(leg)} until ${dueAt.toISOString()}`,
  TASK_LEG_RELEASED: ({ taskId, agentPubkey, reason, ...leg }) =>
    `task ${taskId}: ${agentPubkey} no longer has ${legOf(leg)} (${reason})`,
  TASK_LEG_COMPLETED: ({ taskId, agentPubkey, ...leg }, assets) =>
    `task ${taskId}: ${legOf(leg)} is done, ${agentPubkey} is paid ${sayTold(leg, 'payment', assets)}`,
  TASK_COMPLETED: ({ taskId, ...of }, assets) =>
    `task ${taskId} is completed, ${sayTold(of, 'refund', assets)} return to its funder`,
  TASK_FAILED: ({ taskId, failureReason }) => `task ${taskId} is ${failureReason}`,
  LEG_ACCEPTED: ({ agentPubkey, ...leg }, assets) =>
    `${ofListing(leg)}: ${agentPubkey} accepts ${legOf(leg)} with a stake of ${sayTold(leg, 'stake', assets)}`,
  LEG_CARRIED: ({ packageId, agentPubkey, until, ...leg }) =>
    `package ${packageId}: ${agentPubkey} has the parcel, ${legOf(leg)}, until ${until.toISOString()}`,
  LEG_VACATED: ({ agentPubkey, ...leg }, assets) =>
    `${ofListing(leg)}: ${agentPubkey} no longer has ${legOf(leg)}${(amountTold(leg, 'forfeited') ?? 0n) > 0n ? ` and loses ${sayTold(leg, 'forfeited', assets)}` : ''}`,
  LEG_OPENED: ({ packageId, ...leg }, assets) =>
    `package ${packageId}: ${legOf(leg)} takes bids up to ${sayTold(leg, 'maxCost', assets)}`,
  LEG_REPLACED: ({ packageId, agentPubkey, ...leg }, assets) =>
    `package ${packageId}: ${agentPubkey} takes ${legOf(leg)} for ${sayTold(leg, 'agreedPayment', assets)}`,
  LEG_CLAIMED: ({ agentPubkey, until, ...leg }) =>
    `${ofListing(leg)}: ${agentPubkey} claims ${legOf(leg)}, open to dispute until ${until.toISOString()}`,
  LEG_DISPUTED: ({ disputerPubkey, until, ...leg }) =>
    `${ofListing(leg)}: ${disputerPubkey} disputes ${legOf(leg)}, to be ruled until ${until.toISOString()}`,
  LEG_RULED: ({ by, percent, ...leg }) =>
    `${ofListing(leg)}: ${legOf(leg)} is ruled by ${by}: ${percent} % of its payment`,
  LEDGER_REVERTED: ({ packageId, taskId, instruction, signature }) =>
    `${ofListing({ packageId, taskId })} is halted until it heals by itself: the ledger took back ${instruction} ${signature}`,
  LEDGER_HEALED: ({ packageId, taskId, changes }) =>
    `${ofListing({ packageId, taskId })} goes on as the ledger has it${changes.map(changed).join('')}`,
};

const changed = ({ legIndex, was, is }: { legIndex: number | null; was: string; is: string }) =>
  `; ${legIndex === null ? 'it' : `leg ${legIndex + 1}`} is ${is}, not ${was}`;

function wordsOf(event: LegworkEvent, assets: readonly Asset[]): string {
  const words: (event: never, assets: readonly Asset[]) => string = WORDS[event.type];
  return words(event as never, assets);
}
