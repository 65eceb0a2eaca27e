import { isDeepStrictEqual } from 'node:util';
import {
  BODY_LIMIT_BYTES,
  inputsFor,
  type InputOf,
  type Operation,
  readCall,
  RelayError,
} from '@legwork/protocol/contract';
import type { KeptCall } from '../db/signedCalls.js';
import type { Caller } from './run.js';

/**
 * The caller's signed request, to be kept with what the operation changes; undefined when nobody signed it. Rule S-95.
 *
 * @throws RelayError `body_too_large` (413): only tool calls may have so large a body; `bad_signature` (401) when the request
 *   does not say by itself what was read from it: a path spelled in another way
 */
export function callToKeep<O extends Operation>(
  { signer }: Caller,
  operation: O,
  input: InputOf<O>,
): KeptCall | undefined {
  if (signer === undefined) return undefined;
  const { pubkey, signature, text } = signer;
  if (signer.body.length > BODY_LIMIT_BYTES) {
    throw new RelayError(
      'body_too_large',
      `A signed request that binds its key is kept, so it has at most ${BODY_LIMIT_BYTES} bytes; send the call by itself.`,
    );
  }
  const call = { operation: operation.name, pubkey, signature, text, body: Buffer.from(signer.body).toString() };
  const said = readCall(call);
  if (said && inputsFor(operation, said).some((one) => isDeepStrictEqual(one, input))) return call;
  throw new RelayError('bad_signature', `Sign and send the path as it is documented: ${operation.path}.`);
}

/** As {@link callToKeep}, for an operation that every caller signs. */
export function signedCallOf<O extends Operation>(caller: Caller, operation: O, input: InputOf<O>): KeptCall {
  const call = callToKeep(caller, operation, input);
  if (call === undefined) throw new Error(`${operation.name} ran for a caller that did not sign`);
  return call;
}
