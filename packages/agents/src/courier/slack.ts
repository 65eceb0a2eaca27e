import { nextStep } from '@legwork/sdk';
import type { Step, TurnAtHand } from '@legwork/sdk';

/** So long before a clock ends, a courier claims where it stands, minutes. */
const NOTICE_MIN = 2;

/** How many minutes a clock has to leave a leg that is estimated to take so many: more, and the notice before its end. Rule A-104. */
export const withSlack = (minutes: number, slack: number): number => minutes * slack + NOTICE_MIN;

/** What is to do about a turn now, by a courier that begins nothing for which the deadline leaves no slack. */
export function slackStep(at: TurnAtHand, pubkey: string, slack: number): Step | undefined {
  const { own } = at;
  const roomy = own && { ...own, estimatedDurationMin: withSlack(own.estimatedDurationMin, slack) };
  return nextStep({ ...at, own: roomy }, pubkey);
}
