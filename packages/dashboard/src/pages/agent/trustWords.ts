import type { AgentProfile } from '@legwork/sdk';

/** What an agent counts as when bids are weighed, and why, in sentences. */
export function trustWords({ reputation, trust }: Pick<AgentProfile, 'reputation' | 'trust'>): string[] {
  const { legsAccepted, legsCompleted } = reputation;
  const { isNewcomer, weightPercent, adjustmentPercent } = trust;
  const standing = isNewcomer
    ? `Counts as ${weightPercent} of 100 until its first leg ends.`
    : `Completed ${legsCompleted} of ${legsAccepted} accepted ${legsAccepted === 1 ? 'leg' : 'legs'}, and counts as ${weightPercent} of 100.`;
  if (adjustmentPercent === 0) return [standing];
  return [
    standing,
    `That is ${-adjustmentPercent} points less because it presented an expired credential. The deduction ends with its next completed leg, after 30 days at the latest.`,
  ];
}
