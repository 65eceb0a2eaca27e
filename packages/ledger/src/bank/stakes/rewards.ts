import type { Reward } from '../../store/rewards.js';
import type { AddressedAccount, FoundAccount } from '../accounts.js';
import type { Key } from '../keys.js';
import { readDelegation, rewarded, statusOf, type Delegation, type StakeHistory } from './delegation.js';
import { creditsIn, type EpochCredits } from './voteState.js';

/** The epoch that is paid, and what its stakes were. */
type Terms = { readonly epoch: number; readonly history: StakeHistory; readonly slotsPerEpoch: number };

/** How far back a vote account tells its credits, in epochs. */
const CREDIT_EPOCHS = 64;

/**
 * Shares out an epoch's rewards among the stakes that are delegated to our vote account, by their points:
 * what they had at stake, times the credits that it earned since they were last paid. As Agave 4.2 does;
 * without commission.
 */
export function shareRewards(
  stakes: Iterable<FoundAccount>,
  { voter, lamports, ...terms }: Terms & { readonly voter: Key; readonly lamports: bigint },
): { readonly changes: readonly AddressedAccount[]; readonly rewards: readonly Reward[] } {
  const { epoch, slotsPerEpoch } = terms;
  const final = creditsIn(epoch, (epoch + 1) * slotsPerEpoch - 1, slotsPerEpoch).credits;
  const delegated = [...stakes].flatMap(({ address, account }) => {
    const delegation = readDelegation(account);
    if (delegation?.voter !== voter || delegation.credits === final) return [];
    return [{ address, account, delegation, points: pointsOf(delegation, terms) }];
  });
  const all = delegated.reduce((sum, { points }) => sum + points, 0n);
  const changes: AddressedAccount[] = [];
  const rewards: Reward[] = [];
  for (const { address, account, delegation, points } of delegated) {
    // One that was delegated in this epoch, or knows more credits than there are, is brought up to date and
    // gets nothing.
    const isOnlyNoted = delegation.credits > final || delegation.activation === BigInt(epoch) || lamports === 0n;
    const reward = isOnlyNoted || all === 0n ? 0n : (points * lamports) / all;
    if (reward === 0n && !isOnlyNoted) continue;
    const after = rewarded(account, reward, final);
    changes.push({ address, account: after });
    rewards.push({ address, lamports: reward, balance: after.lamports });
  }
  return { changes, rewards };
}

function pointsOf(delegation: Delegation, { epoch, history, slotsPerEpoch }: Terms): bigint {
  let points = 0n;
  for (let one = epoch; one >= Math.max(0, epoch - CREDIT_EPOCHS + 1); one -= 1) {
    const entry = creditsIn(one, (epoch + 1) * slotsPerEpoch - 1, slotsPerEpoch);
    if (entry.credits <= delegation.credits) break;
    points += earned(delegation, entry) * statusOf(delegation, BigInt(one), history).effective;
  }
  return points;
}

/** The credits of an epoch for which a stake was not paid yet. */
function earned({ credits: paid }: Delegation, { credits, before }: EpochCredits): bigint {
  return credits - (paid < before ? before : paid);
}
