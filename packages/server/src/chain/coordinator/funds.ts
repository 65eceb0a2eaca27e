import { getLegSize, getReputationSize, getSwarmSize, getTaskLegSize } from '@agent-relay/program-client';
import { type Lamports, toLamports } from '@agent-relay/protocol';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import type { Chain } from '../chain.js';
import { rentOf } from '../rent.js';

/** A reading of the balance is good for so long. */
export const READING_MS = 3_000;
/** What waits for a reading does not wait longer; the last reading then stands. */
const ANSWER_WITHIN_MS = 2_000;

/** What the coordinator has to spend, and whether it may. Rule M-45. */
export interface CoordinatorFunds {
  /** The balance, a few seconds old at most while the ledger answers; undefined: it has not answered yet. */
  balance: () => Promise<Lamports | undefined>;
  /** Whether anything new may be begun. While nothing is known, it may: the ledger has the last word. */
  isAboveReserve: () => Promise<boolean>;
  /** Counts what was just decided to be spent, until the next reading shows it. */
  spend: (lamports: Lamports) => void;
}

/** What the coordinator advances for a swarm of so many legs, each by a courier without a reputation account at worst. */
export function formationRent(chain: Pick<Chain, 'rentExemptMinimum'>, legs: number): Lamports {
  const leg = rentOf(chain, getLegSize()) + rentOf(chain, getReputationSize());
  return toLamports(rentOf(chain, getSwarmSize()) + leg * BigInt(legs));
}

/** What the coordinator advances for the assignment of a digital leg, to an agent without a reputation account at worst. */
export function assignmentRent(chain: Pick<Chain, 'rentExemptMinimum'>): Lamports {
  return toLamports(rentOf(chain, getTaskLegSize()) + rentOf(chain, getReputationSize()));
}

type Parts = { chain: Chain; config: Config; log: Logger };

/** Reads the balance when it is asked for; readers at the same time share one reading. */
function keepBalance({ chain, log }: Parts): Pick<CoordinatorFunds, 'balance' | 'spend'> {
  let known: Lamports | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const { value } = await chain.rpc
        .getBalance(chain.coordinator.address, { commitment: 'confirmed' })
        .send({ abortSignal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      known = toLamports(value);
    } catch (error) {
      log.debug({ err: error }, "the coordinator's balance was not read");
    }
    readAt = performance.now();
    reading = undefined;
  }

  return {
    async balance() {
      if (performance.now() - readAt >= READING_MS) await (reading ??= read());
      return known;
    },
    spend(lamports) {
      if (known !== undefined) known = toLamports(known > lamports ? known - lamports : 0n);
    },
  };
}

/** Watches what the coordinator has to spend, and logs when it passes the reserve. */
export function watchFunds(parts: Parts): CoordinatorFunds {
  const reserve = parts.config.coordinatorReserve;
  const { balance, spend } = keepBalance(parts);
  let wasBelow = false;
  return {
    balance,
    spend,
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
