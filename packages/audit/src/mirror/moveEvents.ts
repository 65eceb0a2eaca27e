import type { Terms } from '@legwork/program-client';
import type { StepFacts } from '@legwork/program-client/facts';
import { type DueEvent, wireInstant } from './events.js';

type Said = readonly [type: DueEvent['type'], facts: DueEvent['facts']];

/** The event that says this of a step. */
export function dueOf({ leg, signature }: StepFacts, [type, facts]: Said): DueEvent {
  return { type, facts: { legIndex: leg.index, agentPubkey: leg.courier, signature, ...facts }, signature };
}

/** The event of a move of a leg with terms, of either kind; undefined: it has none, or is told as its kind tells it. */
export function dueOfMove(step: StepFacts, terms: Terms | null): DueEvent | undefined {
  const said = terms === null ? undefined : saidOf(step, terms);
  return said && dueOf(step, said);
}

function saidOf(step: StepFacts, terms: Terms): Said | undefined {
  const { leg, signer, hash } = step;
  switch (step.move) {
    case 'accept':
      return ['LEG_ACCEPTED', { stakeLamports: Number(terms.stake) }];
    case 'take':
    case 'handover':
      return ['LEG_CARRIED', untilAfter(step, terms.carry)];
    case 'leave':
    case 'evict':
      return ['LEG_VACATED', { forfeitedLamports: Number(leg.turn?.forfeitedLamports) }];
    case 'claim':
      return ['LEG_CLAIMED', { evidenceHash: hash ?? '', ...untilAfter(step, terms.review) }];
    case 'dispute': {
      const until = untilAfter(step, terms.arbitration);
      return ['LEG_DISPUTED', { disputerPubkey: signer, reasonHash: hash ?? '', ...until }];
    }
    case 'rule':
    case 'reject':
      return ['LEG_RULED', { by: step.by ?? '', percent: step.percent ?? 0 }];
    case 'assign':
    case 'release':
    case 'replace':
    case 'confirm':
    case 'reclaim':
      break;
  }
  return undefined;
}

/** When silence decides about a leg whose clock begins with the step. */
export function untilAfter({ at }: StepFacts, seconds: number): { until?: string } {
  return at === null ? {} : { until: wireInstant(at + BigInt(seconds)) };
}
