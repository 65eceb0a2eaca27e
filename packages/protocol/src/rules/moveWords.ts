import { type Asset, formatAmount, type Lamports } from '../contract/money.js';
import type { MoveAction } from '../contract/operations/turns.js';
import type { LegStage } from '../contract/statuses.js';
import { isFinal, type Part, paysEarly } from './legMoves.js';
import { SILENCE as SILENCE_OF_ALL } from './legTurns.js';
import { PERCENT_BY_SILENCE, ruledPayment } from './stakes.js';

/** A leg with terms as far as its moves have to be explained; its amounts are base units of its asset. */
export interface ExplainedLeg extends Asset {
  readonly kind: 'package' | 'task';
  readonly stage: LegStage;
  /** Courier or agent. */
  readonly agentPubkey: string;
  readonly paymentLamports: Lamports;
  readonly stakeLamports: Lamports;
  /** The share of the payment that a ruling left, or null without one. */
  readonly percent: number | null;
}

/** The effect of a move. Amounts in base units of the listing's asset. */
export interface MoveMeaning {
  readonly action: MoveAction;
  /** The condition of the world under which it is right, to be read before the move; null: none. */
  readonly when: string | null;
  /** The effect, on whom, and how much, in words. */
  readonly does: string;
  /** True if it pays somebody or takes somebody's stake at once, irreversibly. */
  readonly isFinal: boolean;
  /** The immediate payment to the leg's courier or agent, without its stake; null: none, or as a percentage says. */
  readonly pays: Lamports | null;
  /** The stake that the one who moves posts, or null. */
  readonly stakes: Lamports | null;
}

/** Explains a move of a leg to the one who can make it. Rule T-97. @param part that one's part in the leg */
export function moveMeaning(action: MoveAction, leg: ExplainedLeg, part: Part): MoveMeaning {
  const pays = paymentBy(action, leg);
  const isPosting = action === 'accept' || action === 'dispute' || (action === 'take' && leg.stage === 'pending');
  return {
    action,
    when: WHEN[leg.kind][action]?.(part) ?? null,
    does: `${EFFECTS[action](leg, part)}${isFinal(action, leg.stage) ? '; this cannot be undone' : ''}`,
    isFinal: isFinal(action, leg.stage),
    pays,
    stakes: isPosting ? leg.stakeLamports : null,
  };
}

/** When to make the move and what it does, as one clause. */
export function sayMove({ when, does }: Pick<MoveMeaning, 'when' | 'does'>): string {
  return when === null ? does : `${when}: ${does}`;
}

/** The worker's payment by the move, or null if it pays nothing. */
function paymentBy(action: MoveAction, { stage, paymentLamports, percent }: ExplainedLeg): Lamports | null {
  if (action === 'confirm') return paymentLamports;
  if (action !== 'crank') return null;
  if (stage === 'claimed') return paymentLamports;
  return stage === 'ruled' ? ruledPayment(paymentLamports, percent) : null;
}

type Condition = (part: Part) => string;
const always =
  (words: string): Condition =>
  () =>
    words;

const WHEN: Readonly<Record<ExplainedLeg['kind'], Partial<Record<MoveAction, Condition>>>> = {
  package: {
    take: (part) =>
      part === 'worker' ? 'once you have the parcel in your hands' : 'once this courier is here to fetch the parcel',
    claim: always('once the parcel is where your leg ends and nobody is there to take it over'),
    confirm: always('once you have the parcel in your hands, and have looked at it'),
    dispute: always('if the parcel is not where the claim says that it is'),
    vacate: always('if you cannot carry it'),
    agree: always('if both of you want it'),
  },
  task: {
    claim: always('once you have the result'),
    confirm: always('once you have read the result, and it is what the leg asks for'),
    dispute: always('if the result is not what the leg asks for'),
    vacate: always('if you cannot do it'),
    agree: always('if both of you want it'),
  },
};

type Effect = (leg: ExplainedLeg, part: Part) => string;

const EFFECTS: Readonly<Record<MoveAction, Effect>> = {
  accept: ({ stakeLamports, ...of }) =>
    `posts your stake of ${formatAmount(stakeLamports, of)}, which comes back when you are paid or leave in time, and is lost if you are late`,
  take: ({ stage, stakeLamports, ...of }, part) => {
    if (part !== 'worker') return HANDED_OVER;
    const posts = stage === 'pending' ? `, and posts your stake of ${formatAmount(stakeLamports, of)}` : '';
    return `says that you have the parcel${posts}; from then on you cannot leave`;
  },
  vacate: ({ stage, stakeLamports, ...of }) =>
    `gives the leg back${stage === 'pending' ? '' : `, and your stake of ${formatAmount(stakeLamports, of)} returns`}; you lose nothing`,
  claim: ({ kind }) =>
    `${kind === 'package' ? 'says that the parcel is there' : 'hands the result in'}; unless that is disputed you are paid, at the latest when the review ends`,
  confirm: ({ stage, agentPubkey, paymentLamports, ...of }, part) => {
    const early = paysEarly('confirm', stage) ? ', although nobody has picked the parcel up' : '';
    const taken = part === 'next' ? '; you have the parcel from then on and cannot leave' : '';
    return `pays ${formatAmount(paymentLamports, of)} to ${agentPubkey} at once${early}${taken}`;
  },
  dispute: ({ stakeLamports, agentPubkey, ...of }) =>
    `posts a stake of ${formatAmount(stakeLamports, of)}; the arbiter divides it, the stake of ${agentPubkey} and the payment, and you may lose yours`,
  rule: ({ stakeLamports, paymentLamports, ...of }) =>
    `divides the payment of ${formatAmount(paymentLamports, of)} and both stakes of ${formatAmount(stakeLamports, of)} by your percentage`,
  agree: ({ agentPubkey, paymentLamports, ...of }, part) =>
    `once both have signed, ${part === 'worker' ? 'you are' : `${agentPubkey} is`} paid the percentage of ${formatAmount(paymentLamports, of)}, and every stake returns`,
  crank: (leg, part) => (SILENT[leg.stage] ?? VACATED)(leg, part),
};

/**
 * A courier that has accepted may leave for nothing, whatever the shipper has signed, until the ledger says that it has the parcel (T-10).
 *
 * @param isShown the fact that the shipper waits to see: `the ledger shows that the courier has the parcel`
 */
export const letGoOnce = (isShown: string): string =>
  `Let the parcel go only once ${isShown}: until then the courier could leave with it and lose nothing`;

const HANDED_OVER =
  'signs that the courier has the parcel, which the courier sends at once, and pays nothing yet. ' +
  letGoOnce('the ledger shows that the courier has the parcel');

const nameOf = ({ agentPubkey }: ExplainedLeg, part: Part) => (part === 'worker' ? 'you' : agentPubkey);
const othersOf = ({ kind }: ExplainedLeg) => (kind === 'package' ? 'another courier' : 'another agent');

const VACATED: Effect = (leg) => `gives the leg to ${othersOf(leg)}; nobody loses anything`;
const FORFEITED: Effect = (leg, part) =>
  `gives the leg to ${othersOf(leg)}, and ${part === 'worker' ? 'you lose' : `${leg.agentPubkey} loses`} the stake of ${formatAmount(leg.stakeLamports, leg)}`;

/** The effect of carrying out what silence, or a ruling, has decided. */
const SILENT: Readonly<Partial<Record<LegStage, Effect>>> = {
  accepted: FORFEITED,
  carried: FORFEITED,
  claimed: (leg, part) =>
    `pays ${formatAmount(leg.paymentLamports, leg)} to ${nameOf(leg, part)}: nobody has disputed the claim in time`,
  disputed: () =>
    `ends the dispute, which nobody has ruled in time: ${PERCENT_BY_SILENCE} percent are paid, and half of the disputer's stake burns`,
  ruled: (leg, part) =>
    `pays ${formatAmount(ruledPayment(leg.paymentLamports, leg.percent), leg)} to ${nameOf(leg, part)}, as it was ruled`,
};

/** The cost to a key of doing nothing until the clock ends, in words. Rule T-61. @param part the key's part in the leg */
export function silenceFor(part: Part, leg: ExplainedLeg): string {
  return SILENCE[part](leg)[leg.stage];
}

const NOTHING = 'you lose nothing';
const listerOf = (kind: ExplainedLeg['kind']) => (kind === 'package' ? 'shipper' : 'poster');

const SILENCE: Readonly<Record<Part, (leg: ExplainedLeg) => Readonly<Record<LegStage, string>>>> = {
  worker: ({ kind, paymentLamports, stakeLamports, percent, ...of }) => ({
    pending: 'the leg goes to others, and you lose nothing',
    accepted: `the leg goes to others, and you lose your stake of ${formatAmount(stakeLamports, of)}`,
    carried: `the ${listerOf(kind)} can take the leg from you, and you lose your stake of ${formatAmount(stakeLamports, of)}`,
    claimed: `you are paid ${formatAmount(paymentLamports, of)}`,
    disputed: `you are paid ${formatAmount(halfOf(paymentLamports), of)}, half of it, and your stake comes back`,
    ruled: `your ${formatAmount(ruledPayment(paymentLamports, percent), of)} wait until somebody carries the ruling out`,
    vacant: NOTHING,
    completed: NOTHING,
  }),
  next: () => ({
    pending: NOTHING,
    accepted: NOTHING,
    carried: 'you lose nothing: your own clock begins when the courier before you claims that the parcel is there',
    claimed: 'your own leg goes to others, and you lose its stake unless you leave it before',
    disputed: NOTHING,
    ruled: NOTHING,
    vacant: NOTHING,
    completed: NOTHING,
  }),
  // The shipper or poster, or a receiver, who can confirm and dispute in its place and no more.
  lister: ({ kind, agentPubkey, paymentLamports, percent, ...of }) => ({
    pending: 'the leg goes to others, and you lose nothing but time',
    accepted: 'the leg goes to others, and you lose nothing but time',
    carried: `the ${kind === 'package' ? 'courier' : 'agent'} is late: the ${listerOf(kind)} can take the leg from it, and reclaim from the deadline on`,
    claimed: `${formatAmount(paymentLamports, of)} are paid to ${agentPubkey}, as if you had confirmed`,
    disputed: `${formatAmount(halfOf(paymentLamports), of)}, half of the payment, are paid to ${agentPubkey}, and half of the disputer's stake burns`,
    ruled: `the ${formatAmount(ruledPayment(paymentLamports, percent), of)} of the ruling stay unpaid until somebody carries it out`,
    vacant: `the ${listerOf(kind)} can reclaim from the deadline on`,
    completed: NOTHING,
  }),
  arbiter: ({ paymentLamports, ...of }) => ({
    ...UNCONCERNED,
    disputed: `${formatAmount(halfOf(paymentLamports), of)}, half of the payment, are paid, you get no fee, and your record shows that you were silent`,
  }),
  other: () => UNCONCERNED,
};

const UNCONCERNED: Readonly<Record<LegStage, string>> = { ...SILENCE_OF_ALL, completed: NOTHING };

const halfOf = (paymentLamports: Lamports) => ruledPayment(paymentLamports, PERCENT_BY_SILENCE);
