import type { LimitName, RelayError } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Allowance, clientKey, type Limits, RateLimitedError } from './limits.js';

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
 * too, once it is known who bids. Rule S-18.
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
export function secondsToRetry(error: RelayError): number | undefined {
  if (error instanceof RateLimitedError) return secondsUp(error.allowance);
  return error.status === 503 ? UNAVAILABLE_RETRY_SECONDS : undefined;
}

/** At least one: a client told 0 would retry at once and be refused again. */
function secondsUp({ resetMs }: Allowance): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}
