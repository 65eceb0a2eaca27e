import { BODY_LIMIT_BYTES, type OperationName, RelayError } from '@legwork/protocol/contract';
import type { KeptCall } from '../db/signedCalls.js';
import type { Caller } from './run.js';

/**
 * The caller's signed request, to be kept with what the operation changes; undefined when nobody signed it. Rule S-95.
 *
 * @throws RelayError `body_too_large` (413): only tool calls may have so large a body
 */
export function callToKeep({ signer }: Caller, operation: OperationName): KeptCall | undefined {
  if (signer === undefined) return undefined;
  const { pubkey, signature, text, body } = signer;
  if (body.length <= BODY_LIMIT_BYTES) {
    return { operation, pubkey, signature, text, body: Buffer.from(body).toString() };
  }
  throw new RelayError(
    'body_too_large',
    `A signed request that binds its key is kept, so it has at most ${BODY_LIMIT_BYTES} bytes; send the call by itself.`,
  );
}

/** As {@link callToKeep}, for an operation that every caller signs. */
export function signedCallOf(caller: Caller, operation: OperationName): KeptCall {
  const call = callToKeep(caller, operation);
  if (call === undefined) throw new Error(`${operation} ran for a caller that did not sign`);
  return call;
}
