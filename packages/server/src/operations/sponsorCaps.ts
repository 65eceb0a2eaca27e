import { formatSol, type Lamports, toLamports } from '@legwork/protocol/contract';
import type { RuleFault } from '@legwork/protocol/rules';
import type { Config } from '../config.js';
import type { Advanced } from '../db/sponsorships.js';

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

/** What the coordinator would advance: the budget, and rent and fees on top. */
export interface Advance {
  budget: Lamports;
  overhead: Lamports;
}

/** The lamports of an advance in all. */
export function totalOf({ budget, overhead }: Advance): Lamports {
  return toLamports(budget + overhead);
}

/** A listing that the coordinator is asked to pay for. */
interface Asked {
  kind: FundedKind;
  advance: Advance;
  /** Whether the poster signed the request. */
  signed: boolean;
}

/**
 * The first cap that the advance would exceed, or undefined. The cap for a single listing limits the budget, which the poster names;
 * the others count rent and fees too, of packages and digital tasks together. Rule M-46.
 */
export function checkSponsorCaps(
  { kind, advance, signed }: Asked,
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
  const poster = signed ? 'for one poster' : 'for one poster without its signature';
  const held: [what: string, cap: Lamports, used: Lamports, way?: string][] = [
    [`${poster} (${SINCE})`, caps.poster, advanced.poster, signed ? '' : SIGN],
    [`for one address (${SINCE})`, caps.ip, advanced.ip],
    ['within 24 hours in all', caps.day, advanced.day],
    ['outstanding in all', caps.outstanding, advanced.outstanding],
  ];
  for (const [what, cap, used, way = ''] of held) {
    if (used + totalOf(advance) <= cap) continue;
    const left = used < cap ? toLamports(cap - used) : toLamports(0n);
    return {
      code: 'sponsorship_cap',
      field: 'maxBudgetSol',
      message:
        `asks for ${formatSol(totalOf(advance))} SOL with rent and fee; the coordinator advances at most ${formatSol(cap)} SOL ` +
        `${what}, and ${formatSol(left)} SOL of it are left: ${way}${otherwise(left, advance.overhead, used > 0n)}${selfFunded(kind)}`,
    };
  }
  return undefined;
}

/** What counts against a poster and an address. */
const SINCE = 'of the last 24 hours and what is outstanding from before';
/** Only the poster itself can use up the allowance that it signs for. */
const SIGN = 'sign the request with the key of shipperPubkey, or ';

/** What would meet this cap, if anything does: a smaller budget, or time. */
function otherwise(left: Lamports, overhead: Lamports, isFreedByTime: boolean): string {
  if (left > overhead) return `give at most ${formatSol(left - overhead)}, or `;
  return isFreedByTime ? 'try again later, or ' : '';
}
