import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit';
import { LegworkNetworkError } from './errors.js';

/** So long a node may take for an answer, milliseconds. */
export const ANSWER_WITHIN_MS = 20_000;

/**
 * The RPC of a ledger's node, as `createSolanaRpc` of @solana/kit makes it, but with an end: a node that takes a question and stays
 * silent would hold its caller for five minutes, and holds it for 20 seconds. Rule S-166.
 *
 * @param url of the node, http or https
 * @throws LegworkNetworkError from its calls when no answer came in time
 */
export function ledgerRpc(url: string): Rpc<SolanaRpcApi> {
  const transport = createDefaultRpcTransport({ url });
  const bounded = (async ({ signal, ...request }) => {
    const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const either = signal === undefined ? late : AbortSignal.any([signal, late]);
    return transport({ ...request, signal: either }).catch((cause: unknown) => {
      if (!late.aborted || signal?.aborted === true) throw cause;
      // The rest of an address may hold a key.
      const { host } = new URL(url);
      const why = `The ledger at ${host} did not answer within ${ANSWER_WITHIN_MS / 1_000} seconds; try again, or use another node.`;
      throw new LegworkNetworkError(why, { cause });
    });
  }) as RpcTransport;
  return createSolanaRpcFromTransport(bounded);
}
