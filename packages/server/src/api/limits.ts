import { RelayError } from '@legwork/protocol/contract';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.js';

/** What is counted, each by itself. */
export type Bucket = keyof Config['limits'];

const MINUTE_SEC = 60;
const HOUR_SEC = 3600;
const DAY_SEC = 86_400;

/** What a bucket counts, as refusals call it, and how long its window is. */
const COUNTED: Readonly<Record<Bucket, { what: string; windowSec: number }>> = {
  toolCalls: { what: 'tool calls a minute', windowSec: MINUTE_SEC },
  bids: { what: 'bids a minute for one agent', windowSec: MINUTE_SEC },
  bidsPerAddress: { what: 'bids a minute from one address', windowSec: MINUTE_SEC },
  writes: { what: 'writing requests a minute', windowSec: MINUTE_SEC },
  reads: { what: 'reading requests a minute', windowSec: MINUTE_SEC },
  drafts: { what: 'drafts an hour from one address', windowSec: HOUR_SEC },
  airdrops: { what: 'airdrops a day', windowSec: DAY_SEC },
};

/** What is left of a window. */
export interface Allowance {
  /** What is taken in one window. */
  limit: number;
  remaining: number;
  /** Until the count starts again, milliseconds. */
  resetMs: number;
}

/** The refusal of a request that is one too many. */
export class RateLimited extends RelayError {
  readonly allowance: Allowance;

  constructor(bucket: Bucket, allowance: Allowance) {
    const seconds = Math.ceil(allowance.resetMs / 1000);
    super('rate_limited', `${allowance.limit} ${COUNTED[bucket].what} are taken here; try again in ${seconds} s.`);
    this.allowance = allowance;
  }
}

/** Counts what clients ask for, for all replicas together. */
export interface Limits {
  /**
   * Counts one more for `key`.
   *
   * @returns what is left; undefined when there is no such limit
   * @throws RateLimited (429), or `not_ready` (503) when nothing can be counted
   */
  take(bucket: Bucket, key: string): Promise<Allowance | undefined>;
  /** Counts one less for `key`: what was asked for was not given. Without a database the count stays as it is. */
  giveBack(bucket: Bucket, key: string): Promise<void>;
  close(): Promise<void>;
}

/** A count takes well under a millisecond; few connections serve many requests. */
const CONNECTIONS = 4;
/** A database that does not answer within this, milliseconds, counts as away. */
const PATIENCE_MS = 3000;

/**
 * Counts in the table `rate_limits`, over connections of its own: the counting library cannot read the bigint that the
 * service's own pool makes of int8, and a busy service must not keep its limits waiting. Rule S-18.
 */
export function createLimits({ databaseUrl, limits }: Pick<Config, 'databaseUrl' | 'limits'>, log: Logger): Limits {
  const pool = openLimitsPool(databaseUrl, log);
  const counter = (bucket: Bucket): RateLimiterPostgres | undefined =>
    limits[bucket] === 0
      ? undefined
      : new RateLimiterPostgres({
          storeClient: pool,
          storeType: 'pool',
          tableName: 'rate_limits',
          tableCreated: true,
          keyPrefix: bucket,
          points: limits[bucket],
          duration: COUNTED[bucket].windowSec,
          // Whoever is over the limit is told so from memory: a flood costs no query. What may be given back is asked.
          inMemoryBlockOnConsumed: bucket === 'airdrops' ? 0 : limits[bucket],
          // The service's own sweep removes what is past.
          clearExpiredByTimeout: false,
        });
  const counters: Record<Bucket, RateLimiterPostgres | undefined> = {
    toolCalls: counter('toolCalls'),
    bids: counter('bids'),
    bidsPerAddress: counter('bidsPerAddress'),
    writes: counter('writes'),
    reads: counter('reads'),
    drafts: counter('drafts'),
    airdrops: counter('airdrops'),
  };
  return {
    take: async (bucket, key) => {
      const limit = limits[bucket];
      try {
        const count = await counters[bucket]?.consume(key);
        return count && { limit, remaining: count.remainingPoints, resetMs: count.msBeforeNext };
      } catch (error) {
        if (error instanceof RateLimiterRes) {
          throw new RateLimited(bucket, { limit, remaining: 0, resetMs: error.msBeforeNext });
        }
        log.warn({ err: error }, 'requests cannot be counted');
        throw new RelayError('not_ready', 'The database cannot be used now; try again.');
      }
    },
    giveBack: async (bucket, key) => {
      await counters[bucket]?.reward(key).catch((error: unknown) => log.warn({ err: error }, 'a count stays too high'));
    },
    close: () => pool.end(),
  };
}

function openLimitsPool(connectionString: string, log: Logger): Pool {
  const pool = new Pool({
    connectionString,
    max: CONNECTIONS,
    application_name: 'legwork limits',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  // Without listeners a connection that breaks (PostgreSQL restarting) would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'idle connection lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
