import { isIPv6 } from 'node:net';
import { LegworkError, type LimitName } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.js';
import type { Db } from '../db/connect.js';
import { deleteInBatches } from '../db/transaction.js';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The counts, each separate from the others. */
type Bucket = keyof Config['limits'];

const MINUTE_SEC = 60;
const HOUR_SEC = 3600;
const DAY_SEC = 86_400;
/** A count takes well under a millisecond; few connections serve many requests. */
const CONNECTIONS = 4;
/** A database that does not answer within this, milliseconds, counts as down. */
const PATIENCE_MS = 3000;
/** After this a count has expired on every replica's clock, milliseconds. */
const KEEP_MS = 10 * 60_000;

/** The unit that a bucket counts, in the words of a refusal, and the length of its window. */
const COUNTED: Readonly<Record<Bucket, { what: string; windowSec: number }>> = {
  toolCalls: { what: 'tool calls a minute', windowSec: MINUTE_SEC },
  bids: { what: 'bids a minute for one agent', windowSec: MINUTE_SEC },
  bidsPerAddress: { what: 'bids a minute from one address', windowSec: MINUTE_SEC },
  writes: { what: 'writing requests a minute', windowSec: MINUTE_SEC },
  parts: { what: 'parts of files a minute', windowSec: MINUTE_SEC },
  reads: { what: 'reading requests a minute', windowSec: MINUTE_SEC },
  drafts: { what: 'drafts an hour from one address', windowSec: HOUR_SEC },
  airdrops: { what: 'airdrops a day', windowSec: DAY_SEC },
};

/** The rest of a window. */
export interface Allowance {
  /** Most that one window takes. */
  limit: number;
  remaining: number;
  /** Milliseconds until the count starts again. */
  resetMs: number;
}

/** The refusal of a request over the limit. */
export class RateLimitedError extends LegworkError {
  readonly allowance: Allowance;

  constructor(bucket: Bucket, allowance: Allowance) {
    const seconds = Math.ceil(allowance.resetMs / 1000);
    super('rate_limited', `${allowance.limit} ${COUNTED[bucket].what} are taken here; try again in ${seconds} s.`);
    this.allowance = allowance;
  }
}

/** Counts what clients ask for, across all replicas. */
export interface Limits {
  /**
   * Adds one to the count of `key`.
   *
   * @returns what is left; undefined when there is no such limit
   * @throws RateLimitedError (429), or `not_ready` (503) when nothing can be counted
   */
  take(bucket: Bucket, key: string): Promise<Allowance | undefined>;
  /** Takes one off the count of `key`, since what it asked for was not given. Without a database the count stays. */
  giveBack(bucket: Bucket, key: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Counts in the table `rate_limits`, over its own connections: the counting library cannot read the bigint that the
 * service's pool makes of int8, and a busy service must not hold up its limits. Rule S-18.
 */
export function createLimits({ databaseUrl, limits }: Pick<Config, 'databaseUrl' | 'limits'>, log: Logger): Limits {
  const pool = openLimitsPool(databaseUrl, log);
  const counter = (bucket: Bucket) => createCounter(pool, bucket, limits[bucket]);
  const counters: Record<Bucket, RateLimiterPostgres | undefined> = {
    toolCalls: counter('toolCalls'),
    bids: counter('bids'),
    bidsPerAddress: counter('bidsPerAddress'),
    writes: counter('writes'),
    parts: counter('parts'),
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
          throw new RateLimitedError(bucket, { limit, remaining: 0, resetMs: error.msBeforeNext });
        }
        log.warn({ err: error }, 'requests cannot be counted');
        throw new LegworkError('not_ready', 'The database cannot be used now; try again.');
      }
    },
    giveBack: async (bucket, key) => {
      await counters[bucket]?.reward(key).catch((error: unknown) => log.warn({ err: error }, 'a count stays too high'));
    },
    close: () => pool.end(),
  };
}

/** A counter of the library; undefined without a limit. */
function createCounter(pool: Pool, bucket: Bucket, limit: number): RateLimiterPostgres | undefined {
  if (limit === 0) return undefined;
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: bucket,
    points: limit,
    duration: COUNTED[bucket].windowSec,
    // A client over the limit is refused from memory: a flood costs no query. A count that may be given back is read.
    inMemoryBlockOnConsumed: bucket === 'airdrops' ? 0 : limit,
    // `sweepLimits` removes what has expired.
    clearExpiredByTimeout: false,
  });
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

/** Deletes counts that expired long ago. @returns how many */
export function sweepLimits(db: Db): Promise<number> {
  return deleteInBatches(db, 'rate_limits', sql`expire < ${Date.now() - KEEP_MS}`);
}

const MAPPED_V4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const NETWORK_GROUPS = 4;

/**
 * The client in counts: its IPv4 address, or the /64 of its IPv6 address, since the holder of one address of a /64 usually
 * holds them all.
 */
export function clientKey(ip: string): string {
  const mapped = MAPPED_V4.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(ip) ? `${networkOf(ip)}::/64` : ip;
}

function networkOf(ip: string): string {
  const [address = ''] = ip.split('%', 1);
  const [head = [], tail] = address.split('::', 2).map((part) => (part === '' ? [] : part.split(':')));
  const groups = tail === undefined ? [...head] : [...head, ...zeros(8 - head.length - tail.length), ...tail];
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function zeros(count: number): string[] {
  return Array.from({ length: Math.max(count, 0) }, () => '0');
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The allowance that a request to this route uses up; default: that of reads. */
    limit?: LimitName | 'toolCalls';
  }
}

/** When the service cannot reach its database or ledger, clients may try again after this. */
const UNAVAILABLE_RETRY_SECONDS = 2;
/** Headers that state the allowance. */
export const ALLOWANCE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/**
 * Counts every request before its body is read, also requests to paths that do not exist. A bid is counted for its agent
 * too, once it is known who bids.
 */
export function countRequests(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRequest', async (request, reply) => {
    const { limit = 'reads' } = request.routeOptions.config;
    if (limit === 'none') return;
    const bucket = limit === 'bids' ? 'bidsPerAddress' : limit;
    tellAllowance(reply, await limits.take(bucket, clientKey(request.ip)));
  });
}

/** States what is left; of two allowances, the one that runs out sooner. */
export function tellAllowance(reply: FastifyReply, allowance: Allowance | undefined): void {
  if (allowance === undefined) return;
  const [limit, remaining, reset] = ALLOWANCE_HEADERS;
  const told = reply.getHeader(remaining);
  if (told !== undefined && Number(told) < allowance.remaining) return;
  reply.header(limit, allowance.limit).header(remaining, allowance.remaining).header(reset, secondsUp(allowance));
}

/** Seconds after which a refused request is worth repeating; undefined: waiting does not help. */
export function secondsToRetry(error: LegworkError): number | undefined {
  if (error instanceof RateLimitedError) return secondsUp(error.allowance);
  return error.status === 503 ? UNAVAILABLE_RETRY_SECONDS : undefined;
}

/** At least one: a client told 0 would retry at once and be refused again. */
function secondsUp({ resetMs }: Allowance): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}
