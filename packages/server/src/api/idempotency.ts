import { createHash } from 'node:crypto';
import { LegworkError } from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import {
  type Claim,
  claimRequest,
  keepAnswer,
  RENEW_EVERY_MS,
  releaseRequest,
  renewRequest,
} from '../db/idempotencyKeys.js';
import type { Identity } from './identity.js';
import { clientKey } from './limits.js';

/** Header that names a request, so that a repeat is recognised. */
export const HEADER_IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Header of an answer that was given before, to the first request of this name. */
export const HEADER_REPLAYED = 'Idempotency-Replayed';

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** A request may end between two looks; it is looked up this many times. */
const LOOKS = 3;

/** A request with an Idempotency-Key. */
export interface NamedRequest {
  scope: string;
  key: string;
  /** sha256 (hex) of the body. */
  requestHash: string;
}

/** An answer of text, and whether a repeat of the request gets it too. */
export interface TextAnswer {
  status: number;
  body: string;
  keep: boolean;
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * The name that the caller gave the request; undefined: none. Method, path and caller are part of it, so callers cannot
 * collide.
 *
 * @throws LegworkError `invalid_input` for a name of another form
 */
export function namedRequest(
  request: Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'rawBody'>,
  { signer, apiKey, ip }: Identity,
): NamedRequest | undefined {
  const key = request.headers[HEADER_IDEMPOTENCY_KEY.toLowerCase()];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !PRINTABLE.test(key)) {
    throw LegworkError.field('invalid_input', HEADER_IDEMPOTENCY_KEY, 'must be 1 to 255 printable ASCII characters');
  }
  const [path] = request.url.split('?', 1);
  const caller = signer ? `pubkey ${signer.pubkey}` : apiKey ? `key ${apiKey}` : `address ${clientKey(ip)}`;
  return { scope: `${request.method} ${path} ${caller}`, key, requestHash: sha256(request.rawBody ?? '') };
}

/** Returns whether a repeat gets the same answer; a refusal that may pass next time is not kept. */
export function isKept(status: number): boolean {
  return status < 500 && ![401, 409, 429].includes(status);
}

/**
 * Answers a named request: the first time by `execute`, then with the same answer. Rule S-25.
 *
 * @param execute gets a key for the request, the same for every repeat
 * @throws LegworkError `idempotency_in_progress` (409), `idempotency_key_reused` (422), and what `execute` throws
 */
export async function answerOnce(
  { db, log }: Pick<AppContext, 'db' | 'log'>,
  request: NamedRequest,
  execute: (requestKey: string) => Promise<TextAnswer>,
): Promise<{ status: number; body: string; replayed: boolean }> {
  const claim = await claimOf(db, request);
  if (claim.state === 'answered') return { status: claim.status, body: claim.body, replayed: true };
  const end = async (answer: TextAnswer | undefined): Promise<void> => {
    if (answer?.keep) await keepAnswer(db, request, claim.claimedAt, { status: answer.status, body: answer.body });
    else await releaseRequest(db, request, claim.claimedAt);
  };
  // The answer goes out even if it could not be stored; the lock runs out by itself.
  const endQuietly = (answer?: TextAnswer) =>
    end(answer).catch((error: unknown) => log.warn({ err: error }, 'the outcome of a named request was not noted'));
  const renewal = setInterval(() => {
    renewRequest(db, request, claim.claimedAt).catch((error: unknown) =>
      log.warn({ err: error }, 'a named request could not say that it is under way'),
    );
  }, RENEW_EVERY_MS);
  try {
    const answer = await execute(sha256(`${request.scope}\n${request.key}`));
    await endQuietly(answer);
    return { status: answer.status, body: answer.body, replayed: false };
  } catch (error) {
    await endQuietly();
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

async function claimOf(db: AppContext['db'], request: NamedRequest): Promise<Exclude<Claim, { state: 'running' }>> {
  for (let look = 1; look <= LOOKS; look += 1) {
    const claim = await claimRequest(db, request, request.requestHash);
    if (claim?.state === 'mine') return claim;
    if (claim !== undefined && claim.requestHash !== request.requestHash) {
      throw new LegworkError(
        'idempotency_key_reused',
        `${HEADER_IDEMPOTENCY_KEY} was used here in the last 24 hours with another body; give each request its own.`,
      );
    }
    if (claim?.state === 'answered') return claim;
    if (claim?.state === 'running') break;
  }
  throw new LegworkError(
    'idempotency_in_progress',
    `The first request with this ${HEADER_IDEMPOTENCY_KEY} has not ended; repeat it in a moment for its answer.`,
  );
}
