import { type DigitalLegDetail, resultHash } from '@legwork/sdk';
import type { Address } from '@solana/kit';
import type { Comparison } from '../audit/comparison.js';
import type { Due } from '../audit/histories.js';
import { assigning, confirming, releasing } from '../audit/ledgerHistory.js';
import { leftOf } from '../terms/bound.js';
import type { FinishedTask } from './agents.js';
import { type LegRecord, UNTOUCHED } from './leg.js';

/**
 * The transactions that there have to be between the listing of a digital task and its end: one assignment each time a leg
 * is given out, one release or one confirmation each time it is not any more, a confirmation for the result that was taken.
 * With terms its story knows them.
 */
export function workedBy(task: FinishedTask, coordinator: Address): Due[] {
  if (task.bound) return [...task.bound.moves];
  const { listing, legs } = task;
  return listing.legs.flatMap((leg) => {
    const { givenUp, taken } = legs[leg.legIndex] ?? UNTOUCHED;
    const due = givenUp.flatMap((agent): Due[] => [
      [[assigning(leg.legIndex, agent)], coordinator, null],
      [[releasing(leg.legIndex, agent)], coordinator, null],
    ]);
    if (leg.assignSignature === null || leg.agentPubkey === null) return due;
    due.push([[assigning(leg.legIndex, leg.agentPubkey)], coordinator, leg.assignSignature]);
    if (taken && leg.confirmSignature !== null) {
      const confirmation = confirming(leg.legIndex, taken.agent, resultHash(taken.result).hex);
      due.push([[confirmation], coordinator, leg.confirmSignature]);
    }
    return due;
  });
}

/**
 * What the service shows of the legs is what their agents know, and nobody had two of them. Where somebody handed in while the
 * task was reclaimed, the leg may have been paid or not.
 */
export function compareLegs(task: FinishedTask, comparison: Comparison): void {
  const { listing, legs, raced, paymentLamports } = task;
  for (const leg of listing.legs) {
    const { taken } = legs[leg.legIndex] ?? UNTOUCHED;
    const isUnpaid = taken === undefined || (raced && leg.status === 'failed');
    const wanted = isUnpaid ? NOT_COMPLETED : completed(taken, leftOf(task, leg.legIndex, paymentLamports));
    const whose = taken === undefined ? 'which nobody completed' : `of which a result of ${taken.agent} was taken`;
    comparison.equal(`task ${listing.id}: leg ${leg.legIndex}, ${whose}`, shown(leg), wanted);
  }
  const agents = legs.flatMap(({ givenUp, taken }) => [...givenUp, ...(taken ? [taken.agent] : [])]);
  comparison.equal(`task ${listing.id}: its agents`, new Set(agents).size, agents.length);
  const paid = listing.legs.reduce((sum, leg) => sum + (leg.paymentLamports ?? 0n), 0n);
  const forfeited = task.bound?.forfeitedLamports ?? 0n;
  const refund = listing.status === 'completed' ? listing.maxBudgetLamports - paid + forfeited : null;
  comparison.equal(`task ${listing.id}: what went back`, listing.refundLamports, refund);
}

const NOT_COMPLETED = ['not completed', null, null, null];

function shown({ status, agentPubkey, paymentLamports, result, resultHash: hash, confirmSignature }: DigitalLegDetail) {
  if (status !== 'completed') return ['not completed', paymentLamports, result, confirmSignature];
  return [status, agentPubkey, paymentLamports, result === null ? null : resultHash(result).hex, hash];
}

function completed({ agent, result }: NonNullable<LegRecord['taken']>, paymentLamports: bigint) {
  const { hex } = resultHash(result);
  return ['completed', agent, paymentLamports, hex, hex];
}
