import { type Auth, HEADER_NONCE, HEADER_PUBKEY, HEADER_SIGNATURE, type Operation } from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { clientKey } from './clientKey.js';
import type { Allowance } from './limits.js';
import { holdsAdminKey, refuseWithoutAdminKey } from './adminKey.js';
import { knownApiKey, refuseWithoutApiKey } from './apiKey.js';
import { requireConsent } from './consent.js';
import { requireOwnKey, type SignableRequest, type Signer, useNonce, verifySigner } from './signedRequest.js';

/** Who sent a request, as far as it proves it. One HTTP request has one identity, however many operations it asks for. */
export interface Identity {
  signer: Signer | undefined;
  /** sha256 (hex) of the API key it holds. */
  apiKey: string | undefined;
  /** It holds the key of whoever runs the service. */
  isAdmin: boolean;
  /** Address of the client: of the connection, or what a trusted proxy says. */
  ip: string;
  /** Spends the signer's nonce, once however often it is called. @throws RelayError `replayed_nonce` (401) */
  spendNonce: () => Promise<void>;
}

const SIGNATURE_HEADERS = [HEADER_PUBKEY, HEADER_NONCE, HEADER_SIGNATURE].map((name) => name.toLowerCase());

function isSigned({ headers }: SignableRequest): boolean {
  return SIGNATURE_HEADERS.some((name) => headers[name] !== undefined);
}

/**
 * Who sent the request, before its input is looked at and without touching the database: the signature, if there is
 * one, is verified over the bytes as received. Rules S-10 to S-12, S-17, S-68.
 *
 * @param auth of the operation; a request that may ask for several operations is `signable`, and each operation then
 *   needs {@link requireKey} of its own
 * @throws RelayError (401) that says what is missing or wrong
 */
export function identify(
  context: Pick<AppContext, 'clock' | 'config' | 'db' | 'publicUrl'>,
  request: SignableRequest & Pick<FastifyRequest, 'ip'>,
  auth: Auth,
): Identity {
  const maySign = auth === 'signable' || auth === 'key';
  const signer = auth === 'signed' || (maySign && isSigned(request)) ? verifySigner(context, request) : undefined;
  const apiKey = knownApiKey(context.config, request.headers);
  let spent: Promise<void> | undefined;
  const identity: Identity = {
    signer,
    apiKey,
    isAdmin: holdsAdminKey(context.config, request.headers),
    ip: request.ip,
    spendNonce: () => {
      spent ??= signer === undefined ? Promise.resolve() : useNonce(context.db, signer);
      return spent;
    },
  };
  requireKey(context, identity, auth);
  return identity;
}

/**
 * Whether the request holds the key that the operation needs, if it needs one. Rules S-17, S-68.
 *
 * @throws RelayError `api_key_required`, `admin_key_required` (401)
 */
export function requireKey({ config }: Pick<AppContext, 'config'>, identity: Identity, auth: Auth): void {
  if (auth === 'key' && config.apiKeys.length > 0 && identity.apiKey === undefined) refuseWithoutApiKey();
  if (auth === 'admin' && !identity.isAdmin) refuseWithoutAdminKey(config);
}

/**
 * Lets the caller run an operation with this input: it speaks for itself, is within the allowance of bids, may bind the
 * agent it names, and its nonce is fresh. The nonce is spent last, so that a request refused before may be mended and sent
 * again. Rules S-13, S-14, S-18.
 *
 * @returns what is left of the bids; undefined for operations that are no bids
 * @throws RelayError `pubkey_mismatch`, `signature_required`, `replayed_nonce`, RateLimited
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

/** Signed and unsigned bids are counted apart, so that whoever only claims to be an agent uses up nothing of it. */
function bidder({ signer, ip }: Identity, input: object): string {
  const client = clientKey(ip);
  if (signer !== undefined) return `${client} signed ${signer.pubkey}`;
  return 'agentPubkey' in input ? `${client} unsigned ${String(input.agentPubkey)}` : client;
}
