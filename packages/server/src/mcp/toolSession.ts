import { type Operation, RelayError } from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import { admit, type Identity, identify, requireKey } from '../api/identity.js';
import type { AppContext } from '../context.js';
import type { Caller } from '../operations/run.js';

/** An HTTP request that calls tools, and who sent it, as far as it proves that. */
export interface ToolSession {
  /** The caller as open operations see it. */
  reader: Caller;
  /** The proven sender; undefined when the request has the headers of a signature and they are wrong. */
  identity: () => Identity | undefined;
  /**
   * Refuses a sender that may not call this operation, before its arguments are checked. Operations that are signed over
   * REST may be called unsigned here; the headers of a signature must be right if they are sent. Rule S-38.
   *
   * @throws RelayError (401)
   */
  identifyFor: (contract: Operation) => void;
  /** Lets the sender run the operation with this input. @throws RelayError `pubkey_mismatch`, `signature_required`, `replayed_nonce`, RateLimitedError */
  admit: (contract: Operation, input: object) => Promise<Caller>;
}

export function openSession(context: AppContext, request: FastifyRequest): ToolSession {
  const reader: Caller = { pubkey: undefined, ip: request.ip };
  let known: Identity | undefined;
  const identity = (): Identity => {
    known ??= identify(context, request, 'signable');
    return known;
  };
  return {
    reader,
    identity: () => {
      try {
        return identity();
      } catch (error) {
        if (error instanceof RelayError) return undefined;
        throw error;
      }
    },
    identifyFor: ({ auth }) => {
      if (auth !== 'open') requireKey(context, identity(), auth);
    },
    admit: async (contract, input) => {
      if (contract.auth === 'open') return reader;
      await admit(context, identity(), contract, input);
      const { signer } = identity();
      return { ...reader, pubkey: signer?.pubkey, signer };
    },
  };
}
