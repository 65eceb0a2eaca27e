import {
  type Auth,
  HEADER_NONCE,
  HEADER_PUBKEY,
  HEADER_SIGNATURE,
  type Operation,
  LegworkError,
} from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { requiresSignature } from '../identity/signingKeys.js';
import { type Allowance, clientKey } from './limits.js';
import { holdsAdminKey, knownApiKey, refuseWithoutAdminKey, refuseWithoutApiKey } from './operatorKeys.js';
import { requireOwnKey, type SignableRequest, type Signer, useNonce, verifySigner } from './signedRequest.js';

/** The sender of a request, as far as the request proves it. An HTTP request has one identity, however many operations it calls. */
export interface Identity {
  signer: Signer | undefined;
  /** sha256 (hex) of the API key it holds. */
  apiKey: string | undefined;
  /** It holds the operator's key. */
  isAdmin: boolean;
  /** The client's address: that of the connection, or what a trusted proxy says. */
  ip: string;
  /** Spends the signer's nonce, once, however often it is called. @throws LegworkError `replayed_nonce` (401) */
  spendNonce: () => Promise<void>;
}

const SIGNATURE_HEADERS = [HEADER_PUBKEY, HEADER_NONCE, HEADER_SIGNATURE].map((name) => name.toLowerCase());

function isSigned({ headers }: SignableRequest): boolean {
  return SIGNATURE_HEADERS.some((name) => headers[name] !== undefined);
}

/**
 * Identifies the sender before the input is looked at and without touching the database: the signature, if there is one,
 * is verified over the bytes as received. Rules S-10 to S-12.
 *
 * @param auth of the operation; a request that may call several operations is `signable`, and each operation then needs
 *   its own {@link requireKey}
 * @param bodySha256 of a body that is not here yet, hex: whoever reads it has to compare
 * @throws LegworkError (401) that says what is missing or wrong
 */
export function identify(
  context: Pick<AppContext, 'clock' | 'config' | 'nonces' | 'publicUrl'>,
  request: SignableRequest & Pick<FastifyRequest, 'ip'>,
  auth: Auth,
  bodySha256?: string,
): Identity {
  const maySign = auth === 'signable' || auth === 'key';
  const signer =
    auth === 'signed' || (maySign && isSigned(request)) ? verifySigner(context, request, bodySha256) : undefined;
  const apiKey = knownApiKey(context.config, request.headers);
  let spent: Promise<void> | undefined;
  const identity: Identity = {
    signer,
    apiKey,
    isAdmin: holdsAdminKey(context.config, request.headers),
    ip: request.ip,
    spendNonce: () => {
      spent ??= signer === undefined ? Promise.resolve() : useNonce(context, signer);
      return spent;
    },
  };
  requireKey(context, identity, auth);
  return identity;
}

/**
 * Refuses a request without the key that the operation needs. Rules S-17, S-68.
 *
 * @throws LegworkError `api_key_required`, `admin_key_required` (401)
 */
export function requireKey({ config }: Pick<AppContext, 'config'>, identity: Identity, auth: Auth): void {
  if (auth === 'key' && config.apiKeys.length > 0 && identity.apiKey === undefined) refuseWithoutApiKey();
  if (auth === 'admin' && !identity.isAdmin) refuseWithoutAdminKey(config);
}

/**
 * Lets the caller run an operation with this input: it speaks for its own key, is within the allowance of bids, may bind
 * the agent it names, and its nonce is fresh. The nonce is spent last, so that a request refused before can be corrected
 * and sent again. Rules S-13, S-14, S-18.
 *
 * @returns what is left of the bids; undefined for operations that are not bids
 * @throws LegworkError `pubkey_mismatch`, `signature_required`, `replayed_nonce`, RateLimitedError
 */
export async function admit(
  context: Pick<AppContext, 'config' | 'db' | 'limits'>,
  identity: Identity,
  contract: Pick<Operation, 'binding' | 'limit'>,
  input: object,
): Promise<Allowance | undefined> {
  if (identity.signer !== undefined) requireOwnKey(identity.signer, input);
  const allowance = contract.limit === 'bids' ? await context.limits.take('bids', bidder(identity, input)) : undefined;
  await requireConsent(context, identity.signer, contract, input);
  await identity.spendNonce();
  return allowance;
}

/** Signed and unsigned bids are counted apart: a caller that only claims to be an agent uses up none of the agent's allowance. */
function bidder({ signer, ip }: Identity, input: object): string {
  const client = clientKey(ip);
  if (signer !== undefined) return `${client} signed ${signer.pubkey}`;
  return 'agentPubkey' in input ? `${client} unsigned ${String(input.agentPubkey)}` : client;
}

/**
 * Refuses an unsigned call that would bind an agent which only its signature can bind. Rule S-16.
 *
 * @throws LegworkError `signature_required` (401)
 */
async function requireConsent(
  { config, db }: Pick<AppContext, 'config' | 'db'>,
  signer: Signer | undefined,
  { binding }: Pick<Operation, 'binding'>,
  input: { agentPubkey?: unknown },
): Promise<void> {
  const { agentPubkey } = input;
  if (!binding || signer !== undefined || typeof agentPubkey !== 'string') return;
  if (!(await requiresSignature(db, config.unsignedCalls, agentPubkey))) return;
  const why =
    config.unsignedCalls === 'none'
      ? 'this service takes bids, claims, releases and results by signed calls only'
      : `${agentPubkey} takes part by signed calls only, since its key has signed or asked for it`;
  throw LegworkError.field(
    'signature_required',
    'agentPubkey',
    `${why}; send X-Pubkey, X-Nonce and X-Signature of this key with the request`,
  );
}
