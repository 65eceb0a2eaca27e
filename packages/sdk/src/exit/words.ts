import { formatAmount } from '@legwork/protocol/contract';
import type { ExitLeg, ExitListing, ExitStep } from './exitSteps.js';

const STATUS = {
  listed: 'listed, not taken yet',
  forming: 'its couriers are being assigned',
  active: 'under way',
  over: 'over',
} as const;

const minuteOf = (instant: Date) => `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The listing and the key's part in it; then its money, whose move it is, and its legs, a line each. */
export function sayListing({ listing, turn, legs }: ExitListing, key: string): readonly [string, ...string[]] {
  const { kind, id, address, status, deadline, held, asset } = listing;
  const whose = turn && `next: ${turn.action.replace('_', ' ')}, by ${turn.actor.pubkey ?? turn.actor.role}`;
  return [
    `${kind} ${id} at ${address}: ${STATUS[status]}; you are ${partsIn(listing, key).join(', ') || 'not in it'}`,
    `in escrow: ${formatAmount(held, asset)}; deadline ${minuteOf(deadline)}`,
    ...(turn === null ? [] : [`${whose}${untilWords(turn.until)}; else ${turn.silence}`]),
    ...legs.map((one) => sayLeg(one, listing)),
  ];
}

const untilWords = (until: Date | null) => (until === null ? '' : `, until ${minuteOf(until)}`);

function sayLeg({ leg, until, silence }: ExitLeg, { asset }: ExitListing['listing']): string {
  const pays = `pays ${formatAmount(leg.payment, asset)}`;
  return `leg ${leg.index + 1}, ${leg.worker}: ${leg.stage}, ${pays}${untilWords(until)}; if you do nothing: ${silence}`;
}

function partsIn({ kind, lister, funder, terms, legs }: ExitListing['listing'], key: string): string[] {
  const hand = kind === 'package' ? 'courier' : 'agent';
  return [
    ...(lister === key ? [kind === 'package' ? 'its shipper' : 'its poster'] : []),
    ...(funder === key && lister !== key ? ['its funder'] : []),
    ...(terms?.receiverPubkey === key ? ['its receiver'] : []),
    ...(terms?.arbiterPubkey === key ? ['its arbiter'] : []),
    ...legs.flatMap(({ worker, index, stage }) =>
      worker === key ? [`the ${stage === 'vacant' ? 'former ' : ''}${hand} of leg ${index + 1}`] : [],
    ),
  ];
}

/** When a step can be made. */
export const sayWhen = ({ from }: ExitStep): string => (from === null ? 'now' : `from ${minuteOf(from)}`);

/** Of a key that a ledger has nothing of. */
export const NOTHING_HERE =
  'This ledger has nothing of this key: no package, task, mandate or token that waits. Is it the right key, program and cluster?';
