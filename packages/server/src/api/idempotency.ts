import { createHash } from 'node:crypto';
import { RelayError } from '@legwork/protocol/contract';
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

/** Header that names a request, so that a repeat of it is known as one. */
export const HEADER_IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Header of an answer that an earlier request was given. */
export const HEADER_REPLAYED = 'Idempotency-Replayed';

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** A request that ends between two looks is looked for again this often. */
const LOOKS = 3;

/** A request that its caller named. */
export interface NamedRequest {
  scope: string;
  key: string;
  /** sha256 (hex) of the body. */
  requestHash: string;
}

/** An answer of text, and whether a repeat of the request is to get it too. */
export interface TextAnswer {
  status: number;
  body: string;
  keep: boolean;
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * The name that the caller gave the request; undefined: none. It is the caller's own: method, path and caller belong to it.
 *
 * @throws RelayError `invalid_input` for a name of another form
 */
export function namedRequest(
  request: Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'rawBody'>,
  { signer, apiKey, ip }: Identity,
): NamedRequest | undefined {
  const key = request.headers[HEADER_IDEMPOTENCY_KEY.toLowerCase()];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !PRINTABLE.test(key)) {
    throw RelayError.field('invalid_input', HEADER_IDEMPOTENCY_KEY, 'must be 1 to 255 printable ASCII characters');
  }
  const [path] = request.url.split('?', 1);
  const caller = signer ? `pubkey ${signer.pubkey}` : apiKey ? `key ${apiKey}` : `address ${clientKey(ip)}`;
  return { scope: `${request.method} ${path} ${caller}`, key, requestHash: sha256(request.rawBody ?? '') };
}

/** Whether a repeat gets the same refusal, or another try: what may pass next time is not kept. */
export function isKept(status: number): boolean {
  return status < 500 && ![401, 409, 429].includes(status);
}

/**
 * Answers a named request: the first time by `execute`, afterwards as the first time. Rule S-25.
 *
 * @param execute gets what stands for the request, the same for every repeat of it
 * @throws RelayError `idempotency_in_progress` (409), `idempotency_key_reused` (422), and what `execute` throws
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
  // What was done is answered whether or not it could be noted; the lock runs out by itself.
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
      throw new RelayError(
        'idempotency_key_reused',
        `${HEADER_IDEMPOTENCY_KEY} was used here in the last 24 hours with another body; give each request its own.`,
      );
    }
    if (claim?.state === 'answered') return claim;
    if (claim?.state === 'running') break;
  }
  throw new RelayError(
    'idempotency_in_progress',
    `The first request with this ${HEADER_IDEMPOTENCY_KEY} has not ended; repeat it in a moment for its answer.`,
  );
}
