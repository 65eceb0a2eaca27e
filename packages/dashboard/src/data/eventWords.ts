import type { FailureReason, ReleaseReason, LegworkEvent } from '@legwork/protocol/contract';
import { amountTold, type ToldAmounts } from '@legwork/protocol/contract';
import { m, type Message } from '../language.js';

type EventType = LegworkEvent['type'];
type Of<T extends EventType> = Extract<LegworkEvent, { type: T }>;

interface ToldPart {
  readonly amount: bigint;
  /** Undefined: SOL. */
  readonly asset: string | undefined;
}

/** What stands in a sentence: words and numbers, an agent by its key, an amount, or an instant. */
export type Part = string | number | { readonly agent: string } | ToldPart | { readonly at: Date };

/** What an event is mainly about: a bid, a payment or a refund, or the state of the work. */
export type EventKind = 'bid' | 'money' | 'state';

interface Words {
  readonly kind: EventKind;
  /** Without the package or task that it is about: {@link subjectOf}. */
  readonly say: Message;
  /** What stands in it, by name. */
  readonly parts: Readonly<Record<string, Part>>;
}

const RELEASED: Readonly<Record<ReleaseReason, Message>> = {
  withdrawn: m('{agent} withdrew from leg {leg}'),
  released: m('{agent} gave back leg {leg}'),
  timeout: m('{agent} ran out of time for leg {leg}'),
  lapsed: m('{agent} was too near the deadline to begin leg {leg}'),
  refused: m('{agent} was refused by the ledger for leg {leg}'),
  rejected: m('{agent} was paid nothing, by ruling, for leg {leg}'),
};

const FAILED: Readonly<Record<FailureReason, Message>> = {
  cancelled: m('Cancelled; the escrow went back to its funder'),
  reclaimed: m('Reclaimed after the deadline; the escrow went back to its funder'),
};

/** People count from one. */
const leg = ({ legIndex }: { legIndex: number }): number => legIndex + 1;
const by = ({ agentPubkey }: { agentPubkey: string }): Part => ({ agent: agentPubkey });
const legBy = (e: { legIndex: number; agentPubkey: string }) => ({ leg: leg(e), agent: by(e) });
const told = (e: ToldAmounts, name: Parameters<typeof amountTold>[1]): Part => ({
  amount: amountTold(e, name) ?? 0n,
  asset: e.asset,
});

type Say = (say: Message, parts?: Words['parts']) => Words;
const bid: Say = (say, parts = {}) => ({ kind: 'bid', say, parts });
const money: Say = (say, parts = {}) => ({ kind: 'money', say, parts });
const state: Say = (say, parts = {}) => ({ kind: 'state', say, parts });

/** Who gives a courier or an agent what share of a leg; with nothing, it goes to others. */
const RULED: Readonly<Record<Of<'LEG_RULED'>['by'], readonly [share: Message, nothing: Message]>> = {
  arbiter: [
    m('The arbiter gives {agent} {percent} % of what leg {leg} pays'),
    m('The arbiter gives {agent} nothing for leg {leg}, which is open again'),
  ],
  silence: [
    m('The arbiter did not rule in time: {agent} gets {percent} % of what leg {leg} pays'),
    m('The arbiter did not rule in time: {agent} gets nothing for leg {leg}, which is open again'),
  ],
  agreement: [
    m('The {kind, select, package {shipper} other {poster}} and {agent} agree on {percent} % of what leg {leg} pays'),
    m(
      'The {kind, select, package {shipper} other {poster}} and {agent} agree on nothing for leg {leg}, which is open again',
    ),
  ],
};

function ruled({ by: ruler, percent, kind, ...of }: Of<'LEG_RULED'>): Words {
  const [share, nothing] = RULED[ruler];
  return state(percent === 0 ? nothing : share, { ...legBy(of), percent, kind });
}

const formed = (e: Of<'SWARM_FORMED'>): Words =>
  state(m('{legs, plural, one {One courier won, for {total}} other {A chain of # couriers won, for {total}}}'), {
    legs: e.totalLegs,
    total: told(e, 'total'),
  });

/** A sentence for each type; the compiler asks for one when a type is added. Rule D-8. */
const WORDS: { readonly [T in EventType]: (event: Of<T>) => Words } = {
  PACKAGE_LISTED: (e) => money(m('Listed with {budget} in escrow'), { budget: told(e, 'maxBudget') }),
  BID_STORED: (e) =>
    amountTold(e, 'cost') === undefined
      ? bid(m('{agent} bid, sealed'), { agent: by(e) })
      : bid(m('{agent} bid {cost}'), { agent: by(e), cost: told(e, 'cost') }),
  BID_WITHDRAWN: (e) => bid(m('{agent} withdrew a bid'), { agent: by(e) }),
  SWARM_FORMED: formed,
  BID_RECEIVED: (e) =>
    bid(m('{agent} won leg {leg}, which pays {payment} at its end'), {
      ...legBy(e),
      payment: told(e, 'agreedPayment'),
    }),
  LEG_CONFIRMED: (e) => paid(e),
  PACKAGE_DELIVERED: (e) =>
    amountTold(e, 'refund') === 0n
      ? money(m('Every leg is over; nothing was left of the budget'))
      : money(m('Every leg is over; {refund} went back to its funder'), { refund: told(e, 'refund') }),
  PACKAGE_FAILED: (e) => money(FAILED[e.failureReason]),
  TASK_LISTED: (e) =>
    money(m('Listed in {legs, plural, one {# leg} other {# legs}} with {budget} in escrow'), {
      legs: e.numLegs,
      budget: told(e, 'maxBudget'),
    }),
  TASK_LEG_CLAIMED: (e) =>
    bid(e.isWorkable ? m('{agent} claimed leg {leg}') : m('{agent} reserved leg {leg}'), legBy(e)),
  TASK_LEG_ASSIGNED: (e) => state(m('{agent} has leg {leg} until {time}'), { ...legBy(e), time: { at: e.dueAt } }),
  TASK_LEG_RELEASED: (e) => bid(RELEASED[e.reason], legBy(e)),
  TASK_LEG_COMPLETED: (e) => paid(e),
  TASK_COMPLETED: (e) =>
    amountTold(e, 'refund') === 0n
      ? money(m('Completed; nothing was left of the budget'))
      : money(m('Completed; {refund} went back to its funder'), { refund: told(e, 'refund') }),
  TASK_FAILED: (e) => money(FAILED[e.failureReason]),
  LEG_ACCEPTED: (e) =>
    money(m('{agent} accepted leg {leg} with a stake of {stake}'), { ...legBy(e), stake: told(e, 'stake') }),
  LEG_CARRIED: (e) =>
    state(m('{agent} is carrying leg {leg} and must hand it over or claim delivery by {time}'), {
      ...legBy(e),
      time: { at: e.until },
    }),
  LEG_VACATED: (e) =>
    amountTold(e, 'forfeited') === 0n
      ? state(m('{agent} left leg {leg} in time'), legBy(e))
      : money(m('{agent} lost leg {leg} and its stake, {stake}'), { ...legBy(e), stake: told(e, 'forfeited') }),
  LEG_OPENED: (e) =>
    bid(m('Leg {leg} is open for bids again, up to {cost}'), { leg: leg(e), cost: told(e, 'maxCost') }),
  LEG_REPLACED: (e) =>
    state(m('{agent} replaces {former} on leg {leg}, for {payment}'), {
      ...legBy(e),
      former: { agent: e.formerAgentPubkey },
      payment: told(e, 'agreedPayment'),
    }),
  LEG_CLAIMED: (e) =>
    state(m('{agent} claims that leg {leg} is done; it can be disputed until {time}'), {
      ...legBy(e),
      time: { at: e.until },
    }),
  LEG_DISPUTED: (e) =>
    state(m('{disputer} disputes the claim of {agent} for leg {leg}; the arbiter must rule by {time}'), {
      ...legBy(e),
      disputer: { agent: e.disputerPubkey },
      time: { at: e.until },
    }),
  LEG_RULED: ruled,
  LEDGER_REVERTED: (e) => state(m('The ledger no longer shows {instruction}'), { instruction: e.instruction }),
  LEDGER_HEALED: () => state(m('Continues from what the ledger shows')),
};

const paid = (e: Of<'LEG_CONFIRMED'> | Of<'TASK_LEG_COMPLETED'>): Words =>
  money(m('{agent} was paid {payment} for leg {leg}'), { ...legBy(e), payment: told(e, 'payment') });

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
