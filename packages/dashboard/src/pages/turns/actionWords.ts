import { type Asset, formatAmount, type Lamports } from '@legwork/sdk';
import type { LegTurnView, MoveAction } from '@legwork/protocol/contract';
import { ruledPayment, stakeShares } from '@legwork/protocol/rules';
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
  rule: () => 'Rule',
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
interface Divided {
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

/**
 * What is asked before a percentage divides a leg: what goes to whom, to the lamport. Rule D-38.
 *
 * @param own the key that is asked
 */
export function questionOfPercent(
  action: 'rule' | 'agree',
  { kind, leg: { agentPubkey, disputerPubkey }, payment, stake, of }: Divided,
  percent: number | undefined,
  own: string,
): Question {
  if (percent === undefined) return { lacks: 'The percentage is a whole number from 0 to 100.' };
  const said = (amount: bigint) => formatAmount(amount, of);
  const name = (pubkey: string | null) => (pubkey === own ? 'you' : (pubkey ?? 'nobody'));
  const worker = name(agentPubkey);
  const paid = ruledPayment(payment, percent);
  const others = kind === 'package' ? 'other couriers' : 'other agents';
  const pays =
    percent === 0
      ? `nothing of ${said(payment)} is paid to ${worker}, and the leg is open to ${others} again`
      : `${said(paid)}, which is ${percent} % of ${said(payment)}, is paid to ${worker}`;
  const stays = paid > 0n && paid < payment ? `; ${said(payment - paid)} stays in escrow` : '';
  const shares = stakeShares(stake, action === 'rule' ? 'arbiter' : 'agreement', percent);
  const stakes = [
    `${said(shares.worker)} to ${worker}`,
    ...(disputerPubkey === null ? [] : [`${said(shares.disputer)} to ${name(disputerPubkey)}`]),
    ...(action === 'rule' ? [`${said(shares.fee)} to you as the arbiter`] : []),
  ];
  const begins = action === 'agree' ? 'Once both have signed, ' : '';
  const says = `${begins}${pays}${stays}. Stakes: ${stakes.join(', ')}. This cannot be undone.`;
  return { says: says.replace(/^./, (first) => first.toUpperCase()) };
}
