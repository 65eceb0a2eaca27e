import { ruledPayment, type TurnAction } from '@legwork/protocol/rules';
import { toLamports } from '@legwork/protocol/contract';
import { stageTitle } from '../data/legWords.js';
import { amountIn, locale, m, type Message, t } from '../language.js';
import { legState } from '../pages/task/legState.js';
import { shortened } from '../ui/shortened.js';
import { assetOf, type Listing, paysFor } from './listing.js';

const STATUSES: Readonly<Record<Listing['given']['status'], Message>> = {
  listed: m('Listed'),
  swarm_forming: m('Forming'),
  in_transit: m('In transit'),
  in_progress: m('In progress'),
  delivered: m('Delivered'),
  completed: m('Completed'),
  failed: m('Failed'),
};

/** Where it stands, in a word or two. */
export function statusOf({ given: { status, failureReason } }: Listing): string {
  if (failureReason !== null) return failureReason === 'cancelled' ? t('Cancelled') : t('Reclaimed');
  return t(STATUSES[status]);
}

const FINALITIES: Readonly<Record<Listing['given']['finality'], Message>> = {
  confirmed: m('confirmed, not yet final'),
  final: m('final'),
  reverted: m('taken back'),
};
export const finalityOf = ({ given }: Listing): string => t(FINALITIES[given.finality]);

/** Who is to move: a part, and whose key. */
export function actorOf({ turn }: Listing): string {
  const { role = 'nobody', pubkey = null } = turn?.actor ?? {};
  const part = t(
    '{role, select, courier {Courier} shipper {Shipper} agent {Agent} poster {Poster} receiver {Receiver} ' +
      'arbiter {Arbiter} coordinator {Coordinator} anyone {Anyone} other {Nobody}}',
    { role },
  );
  return pubkey === null ? part : `${part} ${shortened(pubkey)}`;
}

/** Who is to do what, in a sentence; of what is over, that it is. */
export function sentenceOf(listing: Listing): string {
  const { turn, given, legs } = listing;
  if (turn === null) return t('It is over, and nothing is left in escrow.');
  const { action, actor, legIndex, silence } = turn;
  const of = assetOf(listing);
  const bound = legs[legIndex ?? 0];
  const number = (legIndex ?? 0) + 1;
  const pays = toLamports(bound ? paysFor(listing, bound) : 0n);
  const who = actor.role === 'coordinator' || actor.pubkey === null ? t('The coordinator') : shortened(actor.pubkey);
  return SENTENCES[action]({
    kind: listing.kind,
    action,
    number,
    leg: t('leg {number}', { number }),
    who,
    isReceiver: actor.role === 'receiver',
    worker: shortened(bound?.agentPubkey ?? ''),
    pays: amountIn(pays, of),
    stake: amountIn(BigInt(given.terms?.stake ?? 0), of),
    arbiter: shortened(given.terms?.arbiterPubkey ?? ''),
    disputer: bound?.disputerPubkey ? shortened(bound.disputerPubkey) : undefined,
    ruled: bound?.stage === 'ruled' ? amountIn(ruledPayment(pays, bound.percent ?? null), of) : undefined,
    silence,
  });
}

/** What sentences tell; keys are shortened, amounts have their unit. */
interface Told {
  readonly kind: Listing['kind'];
  readonly action: TurnAction;
  readonly number: number;
  readonly leg: string;
  /** Whose move it is. */
  readonly who: string;
  readonly isReceiver: boolean;
  readonly worker: string;
  readonly pays: string;
  readonly stake: string;
  readonly arbiter: string;
  readonly disputer: string | undefined;
  /** What a ruling left of the payment. */
  readonly ruled: string | undefined;
  readonly silence: string;
}

/** The deadline of a package has passed; a task can also be cancelled because too little time is left for its legs. */
const takeBack = ({ kind, who, action }: Told) =>
  kind === 'package'
    ? t('The deadline has passed. {who} can {action, select, cancel {cancel} other {reclaim}} it.', { who, action })
    : t('{who} can {action, select, cancel {cancel} other {reclaim}} it.', { who, action });

const SENTENCES: Readonly<Record<TurnAction, (told: Told) => string>> = {
  bid: () => t('Couriers can bid.'),
  form: () => t('The coordinator puts the chain on the ledger.'),
  confirm: ({ worker, who, pays }) =>
    t('{courier} is carrying it. {receiver} signs on receipt, which pays {courier} {payment}.', {
      courier: worker,
      receiver: who,
      payment: pays,
    }),
  claim: ({ number, pays }) => t('The first agent to claim leg {number} gets it. It pays {pays}.', { number, pays }),
  assign: ({ number }) => t('The coordinator assigns leg {number} to its agent on the ledger.', { number }),
  hand_in: ({ who, number, pays }) =>
    t('{who} works on leg {number}, whose result pays {pays}.', { who, number, pays }),
  pay: ({ number }) =>
    t('The result of leg {number} is handed in. The coordinator confirms it, which pays its agent.', { number }),
  settle: () => t('All legs are done. The coordinator settles, which returns what is left of the budget.'),
  cancel: takeBack,
  reclaim: takeBack,
  accept: ({ worker, leg, stake }) => t('{worker} must accept {leg} with a stake of {stake}.', { worker, leg, stake }),
  take: ({ worker, leg }) => t('{worker} has accepted {leg} and must pick it up.', { worker, leg }),
  carry: ({ worker, leg }) => t('{worker} is carrying {leg} and must hand it over or claim delivery.', { worker, leg }),
  review: ({ worker, leg, who, isReceiver, kind }) =>
    t(
      '{worker} claims that {leg} is done. {who} {also, select, package {or the shipper can dispute it} ' +
        'task {or the poster can dispute it} other {can dispute it}}.',
      { worker, leg, who, also: isReceiver ? kind : 'no' },
    ),
  rule: ({ disputer, kind, worker, leg, arbiter }) =>
    t('{who} disputes the claim of {worker} for {leg}. The arbiter, {arbiter}, must rule.', {
      who: disputer ?? t('The {kind, select, package {shipper} other {poster}}', { kind }),
      worker,
      leg,
      arbiter,
    }),
  replace: ({ number }) =>
    t('Leg {number} has no courier. It is open for bids, and the coordinator picks the best one.', { number }),
  crank: ({ ruled, leg, worker, silence }) =>
    ruled === undefined
      ? t('Time is up for {leg}: {silence}.', { leg, silence: t(silence) })
      : t('The arbiter has ruled on {leg}. Anyone can carry the ruling out, which pays {worker} {amount}.', {
          leg,
          worker,
          amount: ruled,
        }),
  wait: () => t('There is nothing to do now.'),
};

/** How it stands with a leg. */
export function legWordOf(listing: Listing, index: number): string {
  const { legs, turn } = listing;
  const leg = legs[index];
  if (leg === undefined) return '';
  if ('isOpen' in leg) {
    return legState({ ...leg, stage: leg.stage ?? null, percent: leg.percent ?? null }, turn === null).word;
  }
  if (leg.stage) return stageTitle(leg.stage, leg.percent ?? null);
  if (leg.status === 'completed') return t('done');
  return turn?.legIndex === index ? t('in transit') : t('to come');
}

/** A time as people here write it. */
export const timeOf = (time: Date): string =>
  time.toLocaleString(locale, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
