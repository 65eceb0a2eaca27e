import {
  BODY_LIMIT_BYTES,
  MAX_BID_EXPIRY_SEC,
  MAX_BIDDING_WINDOW_SEC,
  MAX_CHAIN_LEGS,
  MAX_LAMPORTS,
  MIN_BID_EXPIRY_SEC,
  NONCE_WINDOW_MS,
  type operations,
  LegworkError,
} from '@legwork/protocol/contract';
import {
  DEFAULT_BID_EXPIRY_SEC,
  DEFAULT_BIDDING_WINDOW_SEC,
  DEFAULT_DEADLINE_SEC,
  HANDOFF_RADIUS_KM,
  MAX_DEADLINE_SEC,
  MAX_LIVE_BIDS_PER_AGENT,
  MAX_SPONSORED_DEADLINE_SEC,
  MIN_DEADLINE_SEC,
} from '@legwork/protocol/rules';
import type { Config } from '../config.js';
import { SERVICE_VERSION } from '../version.js';
import type { AppContext } from '../context.js';
import type { Out, Run } from './run.js';
import { sql } from 'kysely';
import { ask } from '@legwork/program-client/history';
import type { Db } from '../db/connect.js';
import { within } from '../waiting.js';
import { paysFees } from '../fees/budget.js';
import { pushPublicKey } from '../webhooks/push.js';

export const getConfig: Run<typeof operations.getConfig> = async (
  { config, ledger, publicUrl, mcpUrl },
  _,
  caller,
) => ({
  answer: {
    name: 'legwork',
    version: SERVICE_VERSION,
    publicUrl,
    mcpUrl,
    cluster: config.cluster,
    rpcUrl: caller.ledgerUrl ?? config.rpcUrl,
    rpcSubscriptionsUrl: config.rpcSubscriptionsUrl,
    genesisHash: ledger.genesisHash,
    programId: ledger.programAddress,
    coordinatorPubkey: ledger.coordinator.address,
    feePayerPubkey: paysFees(config) ? ledger.coordinator.address : null,
    arbiterPubkey: config.arbiterPubkey ?? null,
    termsDocument: 2,
    assets: [...ledger.assets.values()].map(({ asset, number, decimals, minAmount, token }) => ({
      asset,
      number,
      mint: token?.mint ?? null,
      decimals,
      minAmount,
    })),
    pushPublicKey: config.webhooks.targets === 'none' ? null : pushPublicKey(ledger.decisionKey),
    privateParts: config.personalDataKeys !== undefined,
    rewards: config.claimWindow,
    limits: { ...FIXED_LIMITS, ...configuredLimits(config) },
  },
});

/** The limits that every service has. */
const FIXED_LIMITS = {
  maxLegs: MAX_CHAIN_LEGS,
  handoffRadiusKm: HANDOFF_RADIUS_KM,
  maxBudgetLamports: MAX_LAMPORTS,
  bidExpirySec: { min: MIN_BID_EXPIRY_SEC, max: MAX_BID_EXPIRY_SEC, default: DEFAULT_BID_EXPIRY_SEC },
  deadlineSec: { min: MIN_DEADLINE_SEC, max: MAX_DEADLINE_SEC, default: DEFAULT_DEADLINE_SEC },
  nonceWindowSec: NONCE_WINDOW_MS / 1000,
  bodyBytes: BODY_LIMIT_BYTES,
  biddingWindowSec: { min: 0, max: MAX_BIDDING_WINDOW_SEC, default: DEFAULT_BIDDING_WINDOW_SEC },
  liveBidsPerAgent: MAX_LIVE_BIDS_PER_AGENT,
};

/** The limits that the operator sets. */
function configuredLimits(config: Config) {
  const { limits, unsignedCalls, newcomerBudgets, feeBudgets, sponsorCaps, apiKeys, webhooks } = config;
  const { drafts, airdrops, ...perMinute } = limits;
  return {
    perMinute,
    perHour: { drafts },
    webhooks: { perKey: webhooks.perKey, perAddress: webhooks.perAddress },
    perDay: { airdrops },
    unsignedCalls,
    newcomers: {
      addressPerDayLamports: newcomerBudgets.address,
      perDayLamports: newcomerBudgets.day,
    },
    ...(paysFees(config) && {
      fees: {
        keyPerDayLamports: feeBudgets.key,
        addressPerDayLamports: feeBudgets.address,
        perDayLamports: feeBudgets.day,
      },
    }),
    sponsoring: {
      taskLamports: sponsorCaps.task,
      posterPerDayLamports: sponsorCaps.poster,
      addressPerDayLamports: sponsorCaps.ip,
      perDayLamports: sponsorCaps.day,
      outstandingLamports: sponsorCaps.outstanding,
      maxDeadlineSec: MAX_SPONSORED_DEADLINE_SEC,
      needsApiKey: apiKeys.length > 0,
    },
  };
}

export const getHealth: Run<typeof operations.getHealth> = async () => ({ answer: { status: 'ok' } });

/** How long a probe waits, milliseconds: silence counts as an answer. Rule S-81. */
const ANSWER_WITHIN_MS = 3_000;

/** More than the smallest `work_mem` holds, so that PostgreSQL writes them to its disk and drops them again. */
const ROWS_TO_WRITE = 5_000;

export async function getReadiness({ db, ledger, log }: AppContext): Out<'getReadiness'> {
  const parts = {
    database: within(ANSWER_WITHIN_MS, useDatabase(db)),
    ledger: within(ANSWER_WITHIN_MS, ask(ledger.rpc.getHealth())),
  };
  // All at once: a probe that fails while another is awaited must not become an unhandled rejection.
  const outcomes = await Promise.allSettled(Object.values(parts));
  const missing = Object.keys(parts).filter((name, index) => {
    const outcome = outcomes[index];
    if (outcome?.status !== 'rejected') return false;
    log.warn({ err: outcome.reason as unknown, part: name }, 'not ready');
    return true;
  });
  if (missing.length > 0) throw new LegworkError('not_ready', `no answer from: ${missing.join(', ')}`);
  return { answer: { status: 'ok' } };
}

/** Reads and writes: on a full disk reading still works. Rule S-82. */
function useDatabase(db: Db): Promise<unknown> {
  return db.transaction().execute(async (trx) => {
    await sql`set local work_mem = '64kB'`.execute(trx);
    await sql`select count(*) from generate_series(1, ${sql.lit(ROWS_TO_WRITE)})`.execute(trx);
  });
}
