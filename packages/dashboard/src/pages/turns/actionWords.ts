import { type Asset, type Lamports } from '@legwork/sdk';
import type { LegTurnView, MoveAction } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import type { BoundLeg, Kind } from '../../data/legWords.js';
import { amountIn, m, t } from '../../language.js';

type Turn = Pick<LegTurnView, 'kind' | 'stage' | 'stake' | 'asset' | 'decimals'> & {
  /** Whether the leg is the reader's. */
  readonly isOwn: boolean;
};

const stakeIn = ({ stake, ...of }: Turn) => ({ stake: amountIn(stake, of) });

/** What who receives a parcel says, with terms or without. */
export const CONFIRM_PARCEL = m('Confirm that you have it');

/** What each move is called where it is made. */
export const ACTIONS: Readonly<Record<MoveAction, (turn: Turn) => string>> = {
  accept: (turn) => t('Accept, with a stake of {stake}', stakeIn(turn)),
  take: (turn) => {
    if (!turn.isOwn) return t('Sign the pickup');
    return turn.stage === 'pending' ? t('Pick it up, with a stake of {stake}', stakeIn(turn)) : t('Pick it up');
  },
  vacate: () => t('Leave the leg'),
  claim: ({ kind }) => (kind === 'package' ? t('Claim delivery') : t('Hand in the result')),
  confirm: ({ kind }) => (kind === 'package' ? t(CONFIRM_PARCEL) : t('Confirm the result')),
  dispute: (turn) => t('Dispute, with a stake of {stake}', stakeIn(turn)),
  rule: () => t('Judge it at your desk'),
  agree: () => t('Agree with the other side'),
  crank: () => t('Carry out what the clock decided'),
};

/** What text the moves ask for; undefined: none. */
export function textLabel({ kind, actions }: Pick<LegTurnView, 'kind' | 'actions'>): string | undefined {
  if (actions.includes('claim')) {
    return kind === 'package' ? t('For a claim: where it is, and your evidence') : t('For a claim: the result');
  }
  return actions.includes('dispute') ? t('For a dispute: what is wrong with the claim') : undefined;
}

/** What a move that pays, forfeits or divides does, to whom and how much; or what is missing to say it. */
export type Question = { readonly says: string } | { readonly lacks: string };

/** A leg that a percentage divides; who disputes its claim has posted a stake as well. */
export interface Divided {
  readonly kind: Kind;
  readonly leg: Pick<BoundLeg, 'agentPubkey' | 'disputerPubkey'>;
  readonly payment: Lamports;
  readonly stake: Lamports;
  /** What it pays in. */
  readonly of: Asset;
}

const WHOLE = /^(?:100|[1-9]?\d)$/;

/** Reads a percentage as it was typed or stands in an address. @returns undefined for anything but a whole number from 0 to 100 */
export function readPercent(text: string | null): number | undefined {
  return text !== null && WHOLE.test(text) ? Number(text) : undefined;
}

/** Who a key is to the one who reads. */
export const nameFor = (own: string, pubkey: string | null) => (pubkey === own ? t('you') : (pubkey ?? t('nobody')));

/** What a percentage leaves of a payment and to whom, to the lamport. @param own the key that is asked */
export function sayPayment({ kind, leg, payment, of }: Divided, percent: number, own: string): string {
  const said = (amount: bigint) => amountIn(amount, of);
  const worker = nameFor(own, leg.agentPubkey);
  const whole = said(payment);
  const paid = ruledPayment(payment, percent);
  if (percent === 0) {
    return t(
      'nothing of {whole} is paid to {worker}, and the leg is open to {kind, select, package {other couriers} other {other agents}} again',
      { whole, worker, kind },
    );
  }
  const values = { paid: said(paid), percent, whole, worker };
  return paid > 0n && paid < payment
    ? t('{paid}, which is {percent} % of {whole}, is paid to {worker}; {rest} stays in escrow', {
        ...values,
        rest: said(payment - paid),
      })
    : t('{paid}, which is {percent} % of {whole}, is paid to {worker}', values);
}

export const NO_PERCENT = 'The percentage is a whole number from 0 to 100.';

/** What is asked before both sides divide a leg by a percentage. Rule D-38. @param own the key that is asked */
export function questionOfAgreement(divided: Divided, percent: number | undefined, own: string): Question {
  if (percent === undefined) return { lacks: t(NO_PERCENT) };
  const { leg, stake, of } = divided;
  const sides = [leg.agentPubkey, ...(leg.disputerPubkey === null ? [] : [leg.disputerPubkey])];
  const stakes = sides.map((side) =>
    t('{amount} to {name}', { amount: amountIn(stake, of), name: nameFor(own, side) }),
  );
  const pays = sayPayment(divided, percent, own);
  return {
    says: t('Once both have signed, {pays}. Stakes: {stakes}. This cannot be undone.', {
      pays,
      stakes: stakes.join(', '),
    }),
  };
}
