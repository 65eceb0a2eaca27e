import { formatSol, type Lamports, type RuleFault, toLamports } from '@agent-relay/protocol';
import type { Config } from '../../config.js';
import type { Advanced } from '../../db/sponsorships.js';

/** What the coordinator funds, as refusals name it. */
export interface FundedKind {
  noun: 'package' | 'digital task';
  /** Where its routes begin. */
  path: '/packages' | '/digital-tasks';
}

/** The way that has no caps. */
export function selfFunded({ noun, path }: FundedKind): string {
  return `fund the ${noun} from your own wallet with POST ${path}/build-tx`;
}

/** What the coordinator would advance: the budget, and rent and fees beside it. */
export interface Advance {
  budget: Lamports;
  overhead: Lamports;
}

/** The lamports of an advance in all. */
export function totalOf({ budget, overhead }: Advance): Lamports {
  return toLamports(budget + overhead);
}

/**
 * The first cap that the advance would pass, or undefined. The one for a single listing is for the budget, which the poster names;
 * those of 24 hours (by poster, by address and in all) count rent and fees too, of packages and digital tasks together.
 * Rule M-46.
 */
export function checkSponsorCaps(
  kind: FundedKind,
  advance: Advance,
  advanced: Advanced,
  caps: Config['sponsorCaps'],
): RuleFault<'sponsorship_cap'> | undefined {
  if (advance.budget > caps.task) {
    return {
      code: 'sponsorship_cap',
      field: 'maxBudgetSol',
      message:
        `is ${formatSol(advance.budget)} SOL; the coordinator funds one ${kind.noun} with at most ${formatSol(caps.task)} SOL: ` +
        `give at most that, or ${selfFunded(kind)}`,
    };
  }
  const held: [what: string, cap: Lamports, used: Lamports][] = [
    ['for one poster within 24 hours', caps.poster, advanced.poster],
    ['for one address within 24 hours', caps.ip, advanced.ip],
    ['within 24 hours in all', caps.day, advanced.day],
  ];
  for (const [what, cap, used] of held) {
    if (used + totalOf(advance) <= cap) continue;
    const left = used < cap ? toLamports(cap - used) : toLamports(0n);
    return {
      code: 'sponsorship_cap',
      field: 'maxBudgetSol',
      message:
        `asks for ${formatSol(totalOf(advance))} SOL with rent and fee; the coordinator advances at most ${formatSol(cap)} SOL ` +
        `${what}, and ${formatSol(left)} SOL of it are left: ${otherwise(left, advance.overhead, used > 0n)}${selfFunded(kind)}`,
    };
  }
  return undefined;
}

/** What would do with this cap, if anything would: a smaller budget, or time. */
function otherwise(left: Lamports, overhead: Lamports, isFreedByTime: boolean): string {
  if (left > overhead) return `give at most ${formatSol(toLamports(left - overhead))}, or `;
  return isFreedByTime ? 'try again later, or ' : '';
}
