import type { LegStage } from '@legwork/protocol/contract';
import type { Leg } from '@legwork/sdk';

/** Of what a leg is. */
export type Kind = 'package' | 'task';

/** A leg with terms, of either kind. */
export type BoundLeg = Pick<
  Leg,
  | 'id'
  | 'legIndex'
  | 'onChainLeg'
  | 'formation'
  | 'stage'
  | 'percent'
  | 'disputerPubkey'
  | 'evidenceHash'
  | 'reasonHash'
> & {
  /** Null: nobody has it. */
  readonly agentPubkey: string | null;
};

/** What those are called who have a part in it: who listed it, and who works on a leg. */
export const PARTS: Readonly<Record<Kind, { readonly lister: string; readonly worker: string }>> = {
  package: { lister: 'shipper', worker: 'courier' },
  task: { lister: 'poster', worker: 'agent' },
};

/** Where a leg with terms stands. */
const STAGES: Readonly<Record<LegStage, string>> = {
  pending: 'to be accepted',
  accepted: 'accepted',
  carried: 'has it',
  claimed: 'claimed',
  disputed: 'disputed',
  ruled: 'ruled',
  vacant: 'open again',
  completed: 'paid',
};

/** @param percent what a ruling left of its payment; null: none */
export function stageWord(stage: LegStage, percent: number | null): string {
  const isRuled = percent !== null && (stage === 'ruled' || stage === 'completed');
  return isRuled ? `${STAGES[stage]}, ${percent} %` : STAGES[stage];
}

/** The same where it stands alone: `To be accepted`. */
export const stageTitle = (stage: LegStage, percent: number | null = null): string =>
  stageWord(stage, percent).replace(/^./, (first) => first.toUpperCase());
