import { amountTold, type Asset, type LegworkEvent, sayTold } from '@legwork/sdk';

type Of<T extends LegworkEvent['type']> = Extract<LegworkEvent, { type: T }>;
type Assets = readonly Asset[];

const leg = ({ legIndex }: { legIndex: number }) => `leg ${legIndex + 1}`;
const PARTS = { package: 'shipper', task: 'poster' } as const;
const RELEASED: Readonly<Record<Of<'TASK_LEG_RELEASED'>['reason'], string>> = {
  withdrawn: 'withdrew from',
  released: 'gave back',
  timeout: 'ran out of time for',
  lapsed: 'was too near the deadline to begin',
  refused: 'was refused by the ledger for',
  rejected: 'was paid nothing, by ruling, for',
};
const FAILED: Readonly<Record<Of<'TASK_FAILED'>['failureReason'], string>> = {
  cancelled: 'Cancelled; the escrow went back to its funder',
  reclaimed: 'Reclaimed after the deadline; the escrow went back to its funder',
};

/** As the pages say it (D-8), with whole keys. */
const WORDS: { readonly [T in LegworkEvent['type']]: (event: Of<T>, assets: Assets) => string } = {
  PACKAGE_LISTED: (e, assets) => `Listed with ${sayTold(e, 'maxBudget', assets)} in escrow`,
  BID_STORED: (e, assets) =>
    `${e.agentPubkey} bid${amountTold(e, 'cost') === undefined ? ', sealed' : ` ${sayTold(e, 'cost', assets)}`}`,
  BID_WITHDRAWN: (e) => `${e.agentPubkey} withdrew a bid`,
  SWARM_FORMED: (e, assets) =>
    `${e.totalLegs === 1 ? 'One courier' : `A chain of ${e.totalLegs} couriers`} won, for ${sayTold(e, 'total', assets)}`,
  BID_RECEIVED: (e, assets) =>
    `${e.agentPubkey} won ${leg(e)}, which pays ${sayTold(e, 'agreedPayment', assets)} at its end`,
  LEG_CONFIRMED: paid,
  PACKAGE_DELIVERED: (e, assets) => `Every leg is over; ${back(e, assets)}`,
  PACKAGE_FAILED: (e) => FAILED[e.failureReason],
  TASK_LISTED: (e, assets) =>
    `Listed in ${e.numLegs} ${e.numLegs === 1 ? 'leg' : 'legs'} with ${sayTold(e, 'maxBudget', assets)} in escrow`,
  TASK_LEG_CLAIMED: (e) => `${e.agentPubkey} ${e.isWorkable ? 'claimed' : 'reserved'} ${leg(e)}`,
  TASK_LEG_ASSIGNED: (e) => `${e.agentPubkey} has ${leg(e)} until ${e.dueAt.toISOString()}`,
  TASK_LEG_RELEASED: (e) => `${e.agentPubkey} ${RELEASED[e.reason]} ${leg(e)}`,
  TASK_LEG_COMPLETED: paid,
  TASK_COMPLETED: (e, assets) => `Completed; ${back(e, assets)}`,
  TASK_FAILED: (e) => FAILED[e.failureReason],
  LEG_ACCEPTED: (e, assets) => `${e.agentPubkey} accepted ${leg(e)} with a stake of ${sayTold(e, 'stake', assets)}`,
  LEG_CARRIED: (e) =>
    `${e.agentPubkey} is carrying ${leg(e)} and must hand it over or claim delivery by ${e.until.toISOString()}`,
  LEG_VACATED: (e, assets) =>
    amountTold(e, 'forfeited') === 0n
      ? `${e.agentPubkey} left ${leg(e)} in time`
      : `${e.agentPubkey} lost ${leg(e)} and its stake, ${sayTold(e, 'forfeited', assets)}`,
  LEG_OPENED: (e, assets) => `Leg ${e.legIndex + 1} is open for bids again, up to ${sayTold(e, 'maxCost', assets)}`,
  LEG_REPLACED: (e, assets) =>
    `${e.agentPubkey} replaces ${e.formerAgentPubkey} on ${leg(e)}, for ${sayTold(e, 'agreedPayment', assets)}`,
  LEG_CLAIMED: (e) =>
    `${e.agentPubkey} claims that ${leg(e)} is done; it can be disputed until ${e.until.toISOString()}`,
  LEG_DISPUTED: (e) =>
    `${e.disputerPubkey} disputes the claim of ${e.agentPubkey} for ${leg(e)}; the arbiter must rule by ${e.until.toISOString()}`,
  LEG_RULED: ruled,
  LEDGER_REVERTED: (e) => `The ledger no longer shows ${e.instruction}`,
  LEDGER_HEALED: ({ changes }) => `Continues from what the ledger shows${changes.map(changed).join('')}`,
};

function paid(e: Of<'LEG_CONFIRMED'> | Of<'TASK_LEG_COMPLETED'>, assets: Assets): string {
  return `${e.agentPubkey} was paid ${sayTold(e, 'payment', assets)} for ${leg(e)}`;
}

function back(e: Of<'PACKAGE_DELIVERED'> | Of<'TASK_COMPLETED'>, assets: Assets): string {
  return amountTold(e, 'refund') === 0n
    ? 'nothing was left of the budget'
    : `${sayTold(e, 'refund', assets)} went back to its funder`;
}

function ruled({ by, percent, kind, agentPubkey, ...of }: Of<'LEG_RULED'>): string {
  const gives = {
    arbiter: `The arbiter gives ${agentPubkey} `,
    silence: `The arbiter did not rule in time: ${agentPubkey} gets `,
    agreement: `The ${PARTS[kind]} and ${agentPubkey} agree on `,
  };
  return `${gives[by]}${percent === 0 ? `nothing for ${leg(of)}, which is open again` : `${percent} % of what ${leg(of)} pays`}`;
}

const changed = ({ legIndex, was, is }: Of<'LEDGER_HEALED'>['changes'][number]) =>
  `; ${legIndex === null ? 'it' : `leg ${legIndex + 1}`} is ${is}, not ${was}`;

/** An event in a sentence, after what it is about. */
export function wordsOf(event: LegworkEvent, assets: Assets): string {
  const words: (event: never, assets: Assets) => string = WORDS[event.type];
  return `${subjectOf(event)}: ${words(event as never, assets)}`;
}

/** Who reads of a listing for the first time is told which one it is. */
function subjectOf(event: LegworkEvent): string {
  if (event.type === 'PACKAGE_LISTED') {
    const { packageId, origin, destination } = event;
    return `package ${packageId}, ${origin.lat},${origin.lng} -> ${destination.lat},${destination.lng}`;
  }
  if (event.type === 'TASK_LISTED') return `task ${event.taskId}, ${JSON.stringify(event.title)}`;
  return 'packageId' in event && event.packageId !== undefined
    ? `package ${event.packageId}`
    : `task ${'taskId' in event ? event.taskId : ''}`;
}
