import type { LimitName, RelayError } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { clientKey } from './clientKey.js';
import { type Allowance, type Limits, RateLimited } from './limits.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The allowance that a request of this route uses up; default: that of reads. */
    limit?: LimitName | 'toolCalls';
  }
}

/** What the service needs and does not reach is asked again after this. */
const UNAVAILABLE_RETRY_SECONDS = 2;
/** Headers that tell the allowance. */
export const ALLOWANCE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/**
 * Counts every request before its body is read, those to addresses that do not exist too. Bids are counted for their agent
 * as well, once it is known who bids. Rule S-18.
 */
export function countRequests(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRequest', async (request, reply) => {
    const { limit = 'reads' } = request.routeOptions.config;
    if (limit === 'none') return;
    const bucket = limit === 'bids' ? 'bidsPerAddress' : limit;
    tellAllowance(reply, await limits.take(bucket, clientKey(request.ip)));
  });
}

/** Tells what is left, and of two allowances the one that ends sooner. Rule S-18. */
export function tellAllowance(reply: FastifyReply, allowance: Allowance | undefined): void {
  if (allowance === undefined) return;
  const [limit, remaining, reset] = ALLOWANCE_HEADERS;
  const told = reply.getHeader(remaining);
  if (told !== undefined && Number(told) < allowance.remaining) return;
  reply.header(limit, allowance.limit).header(remaining, allowance.remaining).header(reset, secondsUp(allowance));
}

/** Seconds after which a refused request is worth repeating; undefined: no wait makes it right. Rule S-18. */
export function secondsToRetry(error: RelayError): number | undefined {
  if (error instanceof RateLimited) return secondsUp(error.allowance);
  return error.status === 503 ? UNAVAILABLE_RETRY_SECONDS : undefined;
}

/** At least one: a client told 0 would come back at once and be refused again. */
function secondsUp({ resetMs }: Allowance): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}
