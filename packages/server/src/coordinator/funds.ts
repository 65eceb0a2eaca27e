import { getReputationSize, getSwarmSize } from '@legwork/program-client';
import { type Lamports, toLamports } from '@legwork/protocol/contract';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Trx } from '../db/connect.js';
import { readPromised } from '../db/outbox.js';
import { lockFunds } from '../money/sponsorshipRows.js';
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
export async function canAdvance(
  { config, funds }: { config: Config; funds: CoordinatorFunds },
  trx: Trx,
  lamports: Lamports,
): Promise<boolean> {
  const balance = await funds.balance();
  if (balance === undefined) return true;
  return balance - (await readPromised(trx, READING_MARGIN_SEC)) - lamports >= config.coordinatorReserve;
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
