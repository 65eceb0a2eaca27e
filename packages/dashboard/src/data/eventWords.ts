import type { FailureReason, ReleaseReason, LegworkEvent } from '@legwork/protocol/contract';
import { amountTold, type ToldAmounts } from '@legwork/protocol/contract';
import { PARTS } from './legWords.js';

type EventType = LegworkEvent['type'];
type Of<T extends EventType> = Extract<LegworkEvent, { type: T }>;

interface ToldPart {
  readonly amount: bigint;
  /** Undefined: SOL. */
  readonly asset: string | undefined;
}

/** A part of a sentence: words, an agent by its key, an amount, or an instant. */
export type Part = string | { readonly agent: string } | ToldPart | { readonly at: Date };

/** What an event is mainly about: a bid, a payment or a refund, or the state of the work. */
export type EventKind = 'bid' | 'money' | 'state';

interface Words {
  readonly kind: EventKind;
  /** Without the package or task that it is about: {@link subjectOf}. */
  readonly say: readonly Part[];
}

const RELEASED: Readonly<Record<ReleaseReason, string>> = {
  withdrawn: 'withdrew from',
  released: 'gave back',
  timeout: 'ran out of time for',
  lapsed: 'was too near the deadline to begin',
  refused: 'was refused by the ledger for',
  rejected: 'was paid nothing, by ruling, for',
};

const FAILED: Readonly<Record<FailureReason, string>> = {
  cancelled: 'Cancelled; the escrow went back to its funder',
  reclaimed: 'Reclaimed after the deadline; the escrow went back to its funder',
};

/** People count from one. */
const leg = ({ legIndex }: { legIndex: number }): string => `leg ${legIndex + 1}`;
const by = ({ agentPubkey }: { agentPubkey: string }): Part => ({ agent: agentPubkey });
const told = (e: ToldAmounts, name: Parameters<typeof amountTold>[1]): Part => ({
  amount: amountTold(e, name) ?? 0n,
  asset: e.asset,
});

const bid = (...say: Part[]): Words => ({ kind: 'bid', say });
const money = (...say: Part[]): Words => ({ kind: 'money', say });
const state = (...say: Part[]): Words => ({ kind: 'state', say });

/** Who gives a courier or an agent what share of a leg, as the beginning of a sentence. */
const RULED = {
  arbiter: ['The arbiter gives ', ' '],
  silence: ['The arbiter did not rule in time: ', ' gets '],
} as const;

function ruled({ by: ruler, percent, kind, ...of }: Of<'LEG_RULED'>): Words {
  const [before, gives] = ruler === 'agreement' ? [`The ${PARTS[kind].lister} and `, ' agree on '] : RULED[ruler];
  const what = percent === 0 ? `nothing for ${leg(of)}, which is open again` : `${percent} % of what ${leg(of)} pays`;
  return state(before, by(of), `${gives}${what}`);
}

/** A sentence for each type; the compiler asks for one when a type is added. Rule D-8. */
const WORDS: { readonly [T in EventType]: (event: Of<T>) => Words } = {
  PACKAGE_LISTED: (e) => money('Listed with ', told(e, 'maxBudget'), ' in escrow'),
  BID_STORED: (e) =>
    amountTold(e, 'cost') === undefined ? bid(by(e), ' bid, sealed') : bid(by(e), ' bid ', told(e, 'cost')),
  BID_WITHDRAWN: (e) => bid(by(e), ' withdrew a bid'),
  SWARM_FORMED: (e) =>
    state(
      e.totalLegs === 1 ? 'One courier won, for ' : `A chain of ${e.totalLegs} couriers won, for `,
      told(e, 'total'),
    ),
  BID_RECEIVED: (e) => bid(by(e), ` won ${leg(e)}, which pays `, told(e, 'agreedPayment'), ' at its end'),
  LEG_CONFIRMED: (e) => money(by(e), ' was paid ', told(e, 'payment'), ` for ${leg(e)}`),
  PACKAGE_DELIVERED: (e) => money('Delivered; ', ...back(e)),
  PACKAGE_FAILED: (e) => money(FAILED[e.failureReason]),
  TASK_LISTED: (e) =>
    money(`Listed in ${e.numLegs} ${e.numLegs === 1 ? 'leg' : 'legs'} with `, told(e, 'maxBudget'), ' in escrow'),
  TASK_LEG_CLAIMED: (e) => bid(by(e), ` ${e.isWorkable ? 'claimed' : 'reserved'} ${leg(e)}`),
  TASK_LEG_ASSIGNED: (e) => state(by(e), ` has ${leg(e)} until `, { at: e.dueAt }),
  TASK_LEG_RELEASED: (e) => bid(by(e), ` ${RELEASED[e.reason]} ${leg(e)}`),
  TASK_LEG_COMPLETED: (e) => money(by(e), ' was paid ', told(e, 'payment'), ` for ${leg(e)}`),
  TASK_COMPLETED: (e) => money('Completed; ', ...back(e)),
  TASK_FAILED: (e) => money(FAILED[e.failureReason]),
  LEG_ACCEPTED: (e) => money(by(e), ` accepted ${leg(e)} with a stake of `, told(e, 'stake')),
  LEG_CARRIED: (e) =>
    state(by(e), ` is carrying ${leg(e)} and must hand it over or claim delivery by `, { at: e.until }),
  LEG_VACATED: (e) =>
    amountTold(e, 'forfeited') === 0n
      ? state(by(e), ` left ${leg(e)} in time`)
      : money(by(e), ` lost ${leg(e)} and its stake, `, told(e, 'forfeited')),
  LEG_OPENED: (e) => bid(`Leg ${e.legIndex + 1} is open for bids again, up to `, told(e, 'maxCost')),
  LEG_REPLACED: (e) =>
    state(by(e), ' replaces ', { agent: e.formerAgentPubkey }, ` on ${leg(e)}, for `, told(e, 'agreedPayment')),
  LEG_CLAIMED: (e) => state(by(e), ` claims that ${leg(e)} is done; it can be disputed until `, { at: e.until }),
  LEG_DISPUTED: (e) =>
    state({ agent: e.disputerPubkey }, ' disputes the claim of ', by(e), ` for ${leg(e)}; the arbiter must rule by `, {
      at: e.until,
    }),
  LEG_RULED: ruled,
  LEDGER_REVERTED: (e) => state(`The ledger no longer shows ${e.instruction}`),
  LEDGER_HEALED: () => state('Continues from what the ledger shows'),
};

function back(e: ToldAmounts): Part[] {
  return amountTold(e, 'refund') === 0n
    ? ['nothing was left of the budget']
    : [told(e, 'refund'), ' went back to its funder'];
}

/** An event in words. */
export function wordsOf(event: LegworkEvent): Words {
  return (WORDS[event.type] as (event: LegworkEvent) => Words)(event);
}

/** The package or the digital task that an event is about. */
export function subjectOf(event: LegworkEvent): { readonly page: 'package' | 'task'; readonly id: string } {
  if ('packageId' in event && event.packageId !== undefined) {
    return { page: 'kind' in event ? event.kind : 'package', id: event.packageId };
  }
  return { page: 'task', id: ('taskId' in event && event.taskId) || '' };
}

/** The transaction that an event is of, if it is one of the ledger. */
export function signatureOf(event: LegworkEvent): string | undefined {
  if ('signature' in event) return event.signature;
  if ('listSignature' in event) return event.listSignature;
  if ('formSignature' in event) return event.formSignature;
  return 'settleSignature' in event ? event.settleSignature : undefined;
}
