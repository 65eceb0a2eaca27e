import type { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../errors.js';
import type { Auth, Operation } from './operation.js';

const SIGNATURE = [
  'missing_header',
  'invalid_pubkey',
  'malformed_nonce',
  'stale_nonce',
  'replayed_nonce',
  'bad_signature',
  'unknown_host',
] as const satisfies ErrorCode[];

const OF_AUTH: Record<Auth, readonly ErrorCode[]> = {
  open: [],
  signable: SIGNATURE,
  signed: SIGNATURE,
  key: ['api_key_required', ...SIGNATURE],
  admin: ['admin_key_required'],
};

/** Fields that name the sender of a signed request. */
export const OWN_KEY_FIELDS: readonly string[] = ['agentPubkey', 'devnetPubkey'];

const OF_WRITES: readonly ErrorCode[] = [
  'foreign_origin',
  'malformed_body',
  'body_too_large',
  'unsupported_media_type',
];
const OF_POSTS: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused', 'ledger_unavailable'];

/** Reports whether a query asks for one thing, which may be missing: only such a query has required fields. */
function namesOne(query: z.ZodObject | undefined): boolean {
  return query !== undefined && !query.safeParse({}).success;
}

/**
 * The codes with which a request of the operation may be refused over HTTP, in the order of {@link ERROR_CODES}: what its form, its
 * way of signing and the state of the service bring about, and what its own rules refuse. Rule S-40.
 */
export function refusalsOf(contract: Operation): ErrorCode[] {
  const { auth, method, params, query, body, limit, refuses } = contract;
  const names = params !== undefined || namesOne(query) || body !== undefined;
  const fields = Object.keys({ ...params?.shape, ...query?.shape, ...body?.shape });
  const speaksForItself = auth !== 'open' && auth !== 'admin' && fields.some((field) => OWN_KEY_FIELDS.includes(field));
  const met = new Set<ErrorCode>([
    'invalid_input',
    'internal_error',
    'not_ready',
    ...OF_AUTH[auth],
    ...(names ? (['not_found'] as const) : []),
    ...(method === 'GET' ? [] : OF_WRITES),
    ...(speaksForItself ? (['pubkey_mismatch'] as const) : []),
    ...(method === 'POST' ? OF_POSTS : []),
    ...(limit === 'none' ? [] : (['rate_limited'] as const)),
    ...refuses,
  ]);
  return Object.keys(ERROR_CODES).filter((code): code is ErrorCode => met.has(code as ErrorCode));
}
