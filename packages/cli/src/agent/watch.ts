import { followEvents, formatSol, type LegworkEvent } from '@legwork/sdk';
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
  for await (const event of followEvents({ url, ...(since !== undefined && { since }) })) {
    if (own !== undefined && !isOf(event, own)) continue;
    const time = event.occurredAt.toISOString().slice(0, 19).replace('T', ' ');
    yield { data: event, text: `${String(event.seq).padStart(6)}  ${time}  ${wordsOf(event)}` };
  }
}

/** Whether the event names the wallet. */
function isOf(event: LegworkEvent, pubkey: string): boolean {
  return (
    ('agentPubkey' in event && event.agentPubkey === pubkey) ||
    ('shipperPubkey' in event && event.shipperPubkey === pubkey)
  );
}

type Words = { readonly [Type in LegworkEvent['type']]: (event: Extract<LegworkEvent, { type: Type }>) => string };

const sol = (lamports: bigint) => `${formatSol(lamports)} SOL`;
/** Of a package or a task. */
const ofListing = ({ packageId, taskId }: { packageId?: string | undefined; taskId?: string | undefined }) =>
  packageId === undefined ? `task ${taskId}` : `package ${packageId}`;
const legOf = ({ legIndex, legId }: { legIndex: number; legId: string }) => `leg ${legIndex + 1} (${legId})`;

const WORDS: Words = {
  PACKAGE_LISTED: ({ packageId, maxBudgetLamports, origin, destination }) =>
    `package ${packageId} is listed: ${origin.lat},${origin.lng} -> ${destination.lat},${destination.lng}, up to ${sol(maxBudgetLamports)}`,
  BID_STORED: ({ packageId, agentPubkey, costLamports }) =>
    `package ${packageId}: ${agentPubkey} bids ${costLamports === undefined ? 'a hidden price' : sol(costLamports)}`,
  BID_WITHDRAWN: ({ packageId, agentPubkey }) => `package ${packageId}: ${agentPubkey} withdraws a bid`,
  SWARM_FORMED: ({ packageId, totalLegs, totalLamports }) =>
    `package ${packageId}: a chain of ${totalLegs} is chosen for ${sol(totalLamports)}`,
  BID_RECEIVED: ({ packageId, agentPubkey, agreedPaymentLamports, ...leg }) =>
    `package ${packageId}: ${agentPubkey} has ${legOf(leg)} for ${sol(agreedPaymentLamports)}`,
  LEG_CONFIRMED: ({ packageId, agentPubkey, paymentLamports, ...leg }) =>
    `package ${packageId}: ${legOf(leg)} is done, ${agentPubkey} is paid ${sol(paymentLamports)}`,
  PACKAGE_DELIVERED: ({ packageId, refundLamports }) =>
    `package ${packageId} is delivered, ${sol(refundLamports)} return to its funder`,
  PACKAGE_FAILED: ({ packageId, failureReason }) => `package ${packageId} is ${failureReason}`,
  TASK_LISTED: ({ taskId, title, numLegs, maxBudgetLamports }) =>
    `task ${taskId} is listed: ${JSON.stringify(title)}, ${numLegs} legs for ${sol(maxBudgetLamports)}`,
  TASK_LEG_CLAIMED: ({ taskId, agentPubkey, isWorkable, ...leg }) =>
    `task ${taskId}: ${agentPubkey} ${isWorkable ? 'claims' : 'reserves'} ${legOf(leg)}`,
  TASK_LEG_ASSIGNED: ({ taskId, agentPubkey, dueAt, ...leg }) =>
    `task ${taskId}: ${agentPubkey} has ${legOf(leg)} until ${dueAt.toISOString()}`,
  TASK_LEG_RELEASED: ({ taskId, agentPubkey, reason, ...leg }) =>
    `task ${taskId}: ${agentPubkey} no longer has ${legOf(leg)} (${reason})`,
  TASK_LEG_COMPLETED: ({ taskId, agentPubkey, paymentLamports, ...leg }) =>
    `task ${taskId}: ${legOf(leg)} is done, ${agentPubkey} is paid ${sol(paymentLamports)}`,
  TASK_COMPLETED: ({ taskId, refundLamports }) =>
    `task ${taskId} is completed, ${sol(refundLamports)} return to its funder`,
  TASK_FAILED: ({ taskId, failureReason }) => `task ${taskId} is ${failureReason}`,
  LEG_ACCEPTED: ({ agentPubkey, stakeLamports, ...leg }) =>
    `${ofListing(leg)}: ${agentPubkey} accepts ${legOf(leg)} with a stake of ${sol(stakeLamports)}`,
  LEG_CARRIED: ({ packageId, agentPubkey, until, ...leg }) =>
    `package ${packageId}: ${agentPubkey} has the parcel, ${legOf(leg)}, until ${until.toISOString()}`,
  LEG_VACATED: ({ agentPubkey, forfeitedLamports, ...leg }) =>
    `${ofListing(leg)}: ${agentPubkey} no longer has ${legOf(leg)}${forfeitedLamports > 0n ? ` and loses ${sol(forfeitedLamports)}` : ''}`,
  LEG_OPENED: ({ packageId, maxCostLamports, ...leg }) =>
    `package ${packageId}: ${legOf(leg)} takes bids up to ${sol(maxCostLamports)}`,
  LEG_REPLACED: ({ packageId, agentPubkey, agreedPaymentLamports, ...leg }) =>
    `package ${packageId}: ${agentPubkey} takes ${legOf(leg)} for ${sol(agreedPaymentLamports)}`,
  LEG_CLAIMED: ({ agentPubkey, until, ...leg }) =>
    `${ofListing(leg)}: ${agentPubkey} claims ${legOf(leg)}, to be contradicted until ${until.toISOString()}`,
  LEG_DISPUTED: ({ disputerPubkey, until, ...leg }) =>
    `${ofListing(leg)}: ${disputerPubkey} disputes ${legOf(leg)}, to be ruled until ${until.toISOString()}`,
  LEG_RULED: ({ by, percent, ...leg }) =>
    `${ofListing(leg)}: ${legOf(leg)} is ruled by ${by}: ${percent} % of its payment`,
  LEDGER_REVERTED: ({ packageId, taskId, instruction, signature }) =>
    `${ofListing({ packageId, taskId })} is halted: the ledger took back ${instruction} ${signature}`,
};

function wordsOf(event: LegworkEvent): string {
  const words: (event: never) => string = WORDS[event.type];
  return words(event as never);
}
