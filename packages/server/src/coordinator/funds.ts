import { getReputationSize, getSwarmSize } from '@legwork/program-client';
import { type Lamports, toLamports } from '@legwork/protocol/contract';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { grantShares, holdShare, noteSpent, readPromised, takeStaleSharesBack } from '../money/promises.js';
import { lockFunds, tryLockFunds } from '../money/sponsorshipRows.js';
import type { TermsJson } from '../db/schema.js';
import { type Ledger, rentOf } from '../ledger/ledger.js';
import { legBytes, taskLegBytes } from '../ledger/terms.js';

/** How long a reading of the balance is good for. */
const READING_MS = 3_000;
/** A balance may be this old: what was spent within that time may not show in it. */
const READING_MARGIN_SEC = (2 * READING_MS) / 1000;
/** One signature, and as much again for priority at most. */
export const FEE_LAMPORTS = 10_000n;
/** The longest wait for a reading; after it the last reading stands. */
const ANSWER_WITHIN_MS = 2_000;

/** The coordinator's funds for spending. While its balance is unknown it may spend: the ledger has the last word. */
export interface CoordinatorFunds {
  /** The balance, a few seconds old at most while the ledger answers; undefined: it has not answered yet. */
  balance: () => Promise<Lamports | undefined>;
  /** Reports whether anything new can begin. Rule M-45. */
  isAboveReserve: () => Promise<boolean>;
  /** Reports whether half the reserve is left after so much: below it, the coordinator signs only what it owes. */
  isAboveFloorAfter: (lamports: Lamports) => Promise<boolean>;
}

type Spending = Pick<AppContext, 'config' | 'funds'>;

/** The coordinator's advance for a swarm of so many legs, each by a courier without a reputation account at worst. */
export function formationCost(
  ledger: Pick<Ledger, 'rentExemptMinimum'>,
  legs: number,
  terms: TermsJson | null = null,
): Lamports {
  const leg = rentOf(ledger, legBytes(terms)) + rentOf(ledger, getReputationSize());
  return toLamports(rentOf(ledger, getSwarmSize()) + leg * BigInt(legs) + FEE_LAMPORTS);
}

/** The coordinator's advance for the assignment of a digital leg, to an agent without a reputation account at worst. */
export function assignmentCost(ledger: Pick<Ledger, 'rentExemptMinimum'>, terms: TermsJson | null = null): Lamports {
  return toLamports(rentOf(ledger, taskLegBytes(terms)) + rentOf(ledger, getReputationSize()) + FEE_LAMPORTS);
}

/**
 * Holds the funds until the transaction ends: what it decides to spend belongs to the sums it reads.
 *
 * @param trx read committed: another one would not see what was decided while it waited
 */
export async function holdFunds({ funds }: { funds: CoordinatorFunds }, trx: Trx): Promise<void> {
  // Read before the lock is taken: nobody waits for the ledger with it.
  await funds.balance();
  await lockFunds(trx);
}

/**
 * Reports whether the coordinator can advance so much on top of all that is decided and not done yet, and keep its reserve. The
 * transaction holds the funds. Rule M-72.
 */
export async function canAdvance(context: Spending, trx: Trx, lamports: Lamports): Promise<boolean> {
  const left = await leftAfter(context, trx, lamports);
  return left === undefined || left >= 0n;
}

/** What is left above the reserve after so much; undefined while the balance is unknown. */
async function leftAfter({ config, funds }: Spending, trx: Trx, lamports: Lamports): Promise<bigint | undefined> {
  const balance = await funds.balance();
  if (balance === undefined) return undefined;
  return balance - (await readPromised(trx, READING_MARGIN_SEC)) - lamports - config.coordinatorReserve;
}

/** So many shares are granted at once: as many decisions need not wait for each other. */
const SHARES = 8;
/** The most that they are for in all, in decisions of the size that found none. */
const MOST_DECISIONS = 64n;

/** What a transaction may spend. */
export interface Allowance {
  /** The share it comes from; undefined: the transaction holds the funds. */
  share: bigint | undefined;
}

/**
 * Lets the transaction decide to spend so much, as {@link canAdvance} says, without a wait for others where there is enough for all: who
 * finds the funds locked spends of a share, and who had to wait for them grants some.
 *
 * A share counts as promised until what is spent of it does: the sum of both is never more than what the balance paid for when the share
 * was granted.
 *
 * @param trx read committed; it ends after the one that decides
 * @returns undefined: the reserve would have to pay for it
 */
export async function mayDecide(context: Spending, trx: Trx, lamports: Lamports): Promise<Allowance | undefined> {
  // Read before the lock is taken: nobody waits for the ledger with it.
  await context.funds.balance();
  const [isAlone, fits] = await Promise.all([tryLockFunds(trx), canAdvance(context, trx, lamports)]);
  if (isAlone && fits) return { share: undefined };
  const share = await holdShare(trx, lamports);
  if (share !== undefined) return { share };
  await Promise.all([lockFunds(trx), takeStaleSharesBack(trx)]);
  const left = await leftAfter(context, trx, lamports);
  if (left !== undefined && left < 0n) return undefined;
  if (left !== undefined && !isAlone) await shareOut(trx, left, lamports);
  return { share: undefined };
}

/** Grants shares out of half of what is left, if each is enough for such a decision. */
async function shareOut(trx: Trx, left: bigint, lamports: Lamports): Promise<void> {
  const most = MOST_DECISIONS * lamports;
  const share = (left / 2n < most ? left / 2n : most) / BigInt(SHARES);
  if (share >= lamports) await grantShares(trx, SHARES, toLamports(share));
}

/** Notes in the transaction that decides to spend so much what pays for it. */
export async function spend(trx: Trx, { share }: Allowance, lamports: Lamports): Promise<void> {
  if (share !== undefined) await noteSpent(trx, share, lamports);
}

type Parts = { ledger: Ledger; config: Config; log: Logger };

/** Reads the balance when it is asked for; readers at the same time share one reading. */
function keepBalance({ ledger, log }: Parts): CoordinatorFunds['balance'] {
  let known: Lamports | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const { value } = await ledger.rpc
        .getBalance(ledger.coordinator.address, { commitment: 'confirmed' })
        .send({ abortSignal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      known = toLamports(value);
    } catch (error) {
      log.debug({ err: error }, "the coordinator's balance was not read");
    }
    readAt = performance.now();
    reading = undefined;
  }

  return async () => {
    if (performance.now() - readAt >= READING_MS) await (reading ??= read());
    return known;
  };
}

/** Watches what the coordinator has to spend, and logs when it passes the reserve. */
export function watchFunds(parts: Parts): CoordinatorFunds {
  const reserve = parts.config.coordinatorReserve;
  const balance = keepBalance(parts);
  let wasBelow = false;
  return {
    balance,
    async isAboveFloorAfter(lamports) {
      const held = await balance();
      return held === undefined || held - lamports >= reserve / 2n;
    },
    async isAboveReserve() {
      const lamports = await balance();
      const isBelow = lamports !== undefined && lamports < reserve;
      if (isBelow !== wasBelow) {
        wasBelow = isBelow;
        const figures = { lamports: Number(lamports), reserve: Number(reserve) };
        if (isBelow)
          parts.log.warn(figures, 'the coordinator is below its reserve: it begins nothing new and funds nothing');
        else parts.log.info(figures, 'the coordinator is above its reserve again');
      }
      return !isBelow;
    },
  };
}
