import { type Asset, formatAmount, type Lamports } from '@legwork/sdk';
import type { LegTurnView, MoveAction } from '@legwork/protocol/contract';
import { ruledPayment } from '@legwork/protocol/rules';
import type { BoundLeg, Kind } from '../../data/legWords.js';

type Turn = Pick<LegTurnView, 'kind' | 'stage' | 'stake' | 'asset' | 'decimals'> & {
  /** Whether the leg is the reader's. */
  readonly isOwn: boolean;
};

const withStake = ({ stake, ...of }: Turn) => `, with a stake of ${formatAmount(stake, of)}`;

/** What who receives a parcel says, with terms or without. */
export const CONFIRM_PARCEL = 'Confirm that you have it';

/** What each move is called where it is made. */
export const ACTIONS: Readonly<Record<MoveAction, (turn: Turn) => string>> = {
  accept: (turn) => `Accept${withStake(turn)}`,
  take: (turn) => (turn.isOwn ? `Pick it up${turn.stage === 'pending' ? withStake(turn) : ''}` : 'Sign the pickup'),
  vacate: () => 'Leave the leg',
  claim: ({ kind }) => (kind === 'package' ? 'Claim delivery' : 'Hand in the result'),
  confirm: ({ kind }) => (kind === 'package' ? CONFIRM_PARCEL : 'Confirm the result'),
  dispute: (turn) => `Dispute${withStake(turn)}`,
  rule: () => 'Judge it at your desk',
  agree: () => 'Agree with the other side',
  crank: () => 'Carry out what the clock decided',
};

/** What text the moves ask for; undefined: none. */
export function textLabel({ kind, actions }: Pick<LegTurnView, 'kind' | 'actions'>): string | undefined {
  if (actions.includes('claim')) {
    return kind === 'package' ? 'For a claim: where it is, and your evidence' : 'For a claim: the result';
  }
  return actions.includes('dispute') ? 'For a dispute: what is wrong with the claim' : undefined;
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
export const nameFor = (own: string, pubkey: string | null) => (pubkey === own ? 'you' : (pubkey ?? 'nobody'));

/** What a percentage leaves of a payment and to whom, to the lamport. @param own the key that is asked */
export function sayPayment({ kind, leg, payment, of }: Divided, percent: number, own: string): string {
  const said = (amount: bigint) => formatAmount(amount, of);
  const worker = nameFor(own, leg.agentPubkey);
  const paid = ruledPayment(payment, percent);
  if (percent === 0) {
    const others = kind === 'package' ? 'other couriers' : 'other agents';
    return `nothing of ${said(payment)} is paid to ${worker}, and the leg is open to ${others} again`;
  }
  const stays = paid > 0n && paid < payment ? `; ${said(payment - paid)} stays in escrow` : '';
  return `${said(paid)}, which is ${percent} % of ${said(payment)}, is paid to ${worker}${stays}`;
}

export const NO_PERCENT = 'The percentage is a whole number from 0 to 100.';

/** What is asked before both sides divide a leg by a percentage. Rule D-38. @param own the key that is asked */
export function questionOfAgreement(divided: Divided, percent: number | undefined, own: string): Question {
  if (percent === undefined) return { lacks: NO_PERCENT };
  const { leg, stake, of } = divided;
  const sides = [leg.agentPubkey, ...(leg.disputerPubkey === null ? [] : [leg.disputerPubkey])];
  const stakes = sides.map((side) => `${formatAmount(stake, of)} to ${nameFor(own, side)}`).join(', ');
  const pays = sayPayment(divided, percent, own);
  return { says: `Once both have signed, ${pays}. Stakes: ${stakes}. This cannot be undone.` };
}
