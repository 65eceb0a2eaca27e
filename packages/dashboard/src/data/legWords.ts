import type { LegStage } from '@legwork/protocol/contract';

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
export const stageTitle = (stage: LegStage): string => STAGES[stage].replace(/^./, (first) => first.toUpperCase());
