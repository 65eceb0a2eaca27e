import { NOTICE_MS } from '@legwork/protocol/rules';
import { formatAmount, formatSol } from '@legwork/sdk';
import type { OpenWork, Terms } from '@legwork/sdk';
import type { Policy } from '../policy/policy.js';
import { keyOf, limitWords } from '../wallet/assetRules.js';
import type { AssetRules } from '../wallet/assetRules.js';
import { FundsError } from '../wallet/spending.js';
import { tokensHeld } from '../wallet/tokensHeld.js';
import { stakeRulesOf } from '../wallet/stakes.js';
import type { StakeRules } from '../wallet/stakes.js';
import type { Desk } from './desk.js';
import type { ReasonCode } from './reasons.js';

/** The rules about terms: the policy, and the arbiters that it admits. */
export interface TermsRules {
  readonly accept: Policy['accept'];
  readonly stakes: StakeRules;
  /** Of a courier: by how much a leg may take longer than estimated, as a factor. */
  readonly slack: number;
}

/** A leg takes at most this part of its carry clock, as the service has it: one half. */
const CARRY_PARTS = 2;
/** The fees of the moves of a leg, lamports. */
const MOVES_LAMPORTS = 50_000n;

/** How many minutes a clock has to leave a leg that is estimated to take so many: more, and the notice before its end. Rule A-104. */
export const withSlack = (minutes: number, slack: number): number => minutes * slack + NOTICE_MS / 60_000;

/** @param of the asset of the listing */
export function termsRulesOf({ session: { policy, config } }: Pick<Desk, 'session'>, of?: AssetRules): TermsRules {
  return { accept: policy.accept, stakes: stakeRulesOf(policy, config, of), slack: policy.courier?.slack ?? 1 };
}

/** The term that the policy does not take. */
export interface Disagreement {
  readonly code: Extract<ReasonCode, 'arbiter' | 'stake' | 'clocks'>;
  readonly words: string;
}

const clocks = (words: string): Disagreement => ({ code: 'clocks', words });

/** Why nobody with this policy is bound by these terms; undefined: it may be. Rule A-34. */
export function disagreement(terms: Terms, { accept, stakes }: TermsRules): Disagreement | undefined {
  const { arbiterPubkey, stake, handoffSec, reviewSec, arbitrationSec } = terms;
  if (!stakes.arbiters.includes(arbiterPubkey)) {
    return { code: 'arbiter', words: `${arbiterPubkey} rules its disputes, whom accept.arbiters does not name` };
  }
  for (const [field, limit] of [['stakePerLeg', stakes.perLeg] as const, ['stakeInAll', stakes.inAll] as const]) {
    if (stake <= limit) continue;
    const words = `its stake is ${formatAmount(stake, stakes.of)}, but ${limitWords(stakes.of, field, limit)}`;
    return { code: 'stake', words };
  }
  if (handoffSec < accept.shortestHandoffSec) {
    return clocks(`a handoff has ${handoffSec} seconds, but accept.shortestHandoffSec is ${accept.shortestHandoffSec}`);
  }
  const rulingSec = reviewSec + arbitrationSec;
  if (rulingSec <= accept.longestRulingSec) return undefined;
  return clocks(
    `review and arbitration have ${rulingSec} seconds, but accept.longestRulingSec is ${accept.longestRulingSec}`,
  );
}

/**
 * Why a courier takes no leg that is bound by these terms; undefined: it does.
 *
 * @param minutes how long the leg takes
 */
export function disagreementToCarry(terms: Terms, minutes: number, rules: TermsRules): Disagreement | undefined {
  const { carrySec } = terms;
  const { shortestCarrySec } = rules.accept;
  if (carrySec < shortestCarrySec) {
    return clocks(`a leg has ${carrySec} seconds, but accept.shortestCarrySec is ${shortestCarrySec}`);
  }
  if (carrySec < CARRY_PARTS * minutes * 60) {
    return clocks(`a leg has ${carrySec} seconds, and this one takes ${minutes} minutes, which is more than half`);
  }
  const needed = withSlack(minutes, rules.slack);
  if (carrySec < needed * 60) {
    return clocks(
      `a leg has ${carrySec} seconds, but ${minutes} minutes take ${needed} by courier.slack, ${rules.slack}, and notice`,
    );
  }
  return disagreement(terms, rules);
}

/** Reports whether the lister takes bids of this key. */
export function isWelcome({ requirements }: Pick<OpenWork, 'requirements'>, pubkey: string): boolean {
  return requirements?.blocked?.includes(pubkey) !== true;
}

/** Reports whether the agent has the reputation account that bids under terms need; without one it opens it first. Rule A-24. */
export function hasReputation({ reputation }: Pick<Desk, 'reputation'>): boolean {
  if (!reputation.isOpen) reputation.hasToPay = true;
  return reputation.isOpen;
}

/**
 * @param subject the package, or the leg of a task
 * @throws {FundsError} when the wallet could not post this stake beside those that it promised
 */
export async function requireFunds(
  { session, commitments }: Pick<Desk, 'session' | 'commitments'>,
  subject: string,
  stake: bigint,
  of: AssetRules,
): Promise<void> {
  const { rpc, signer, stakes } = session;
  const { value } = await rpc.getBalance(signer.address, { commitment: 'confirmed' }).send();
  const key = keyOf(of);
  const promised = commitments.stakedBeside(subject, key) - stakes.lyingIn(key);
  const needed = stake + (promised > 0n ? promised : 0n);
  // Where the service pays the fees of wallets without SOL, stakes are all it takes.
  const fees = session.config.feePayerPubkey === null ? MOVES_LAMPORTS : 0n;
  const isToken = of.token !== undefined;
  requireThat(needed + (isToken ? 0n : fees), isToken ? await tokensHeld(rpc, signer.address, of) : value, of);
  if (isToken && value < fees) {
    throw new FundsError(`the moves may cost ${formatSol(fees)} SOL, but the wallet has ${formatSol(value)} SOL`);
  }
}

function requireThat(needed: bigint, held: bigint, of: AssetRules): void {
  if (held >= needed) return;
  throw new FundsError(
    `the stakes may come to ${formatAmount(needed, of)}, but the wallet has ${formatAmount(held, of)}`,
  );
}
