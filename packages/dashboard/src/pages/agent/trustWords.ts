import type { AgentProfile } from '@legwork/sdk';
import { t } from '../../language.js';

/** What an agent counts as when bids are weighed, and why, in sentences. */
export function trustWords({ reputation, trust }: Pick<AgentProfile, 'reputation' | 'trust'>): string[] {
  const { legsAccepted, legsCompleted } = reputation;
  const { isNewcomer, weightPercent, adjustmentPercent } = trust;
  const standing = isNewcomer
    ? t('Counts as {weight} of 100 until its first leg ends.', { weight: weightPercent })
    : t(
        'Completed {completed} of {accepted} accepted {accepted, plural, one {leg} other {legs}}, and counts as {weight} of 100.',
        { completed: legsCompleted, accepted: legsAccepted, weight: weightPercent },
      );
  if (adjustmentPercent === 0) return [standing];
  return [
    standing,
    t(
      'That is {points} points less because it presented an expired credential. The deduction ends with its next completed leg, after 30 days at the latest.',
      { points: -adjustmentPercent },
    ),
  ];
}
