import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit';
import { isForbidden } from '@legwork/program-client/history';
import { LegworkNetworkError } from './errors.js';
import { unreachable } from './transport.js';

/** So long a node may take for an answer, milliseconds. */
export const ANSWER_WITHIN_MS = 20_000;

/**
 * The RPC of a ledger's node, as `createSolanaRpc` of @solana/kit makes it, but with an end: a node that takes a question and stays
 * silent would hold its caller for five minutes, and holds it for 20 seconds. Rule S-166.
 *
 * @param url of the node, http or https
 * @throws LegworkNetworkError from its calls when no answer came; an answer that refuses stays Kit's own error
 */
export function ledgerRpc(url: string): Rpc<SolanaRpcApi> {
  const transport = createDefaultRpcTransport({ url });
  const bounded = (async ({ signal, ...request }) => {
    const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const either = signal === undefined ? late : AbortSignal.any([signal, late]);
    return transport({ ...request, signal: either }).catch((cause: unknown) => {
      if (signal?.aborted === true || isForbidden(cause)) throw cause;
      throw new LegworkNetworkError(`${silence(new URL(url), late, cause)}; try again, or use another node.`, {
        cause,
      });
    });
  }) as RpcTransport;
  return createSolanaRpcFromTransport(bounded);
}

/** Names the host alone: the rest of an address may hold a key. */
const silence = (url: URL, late: AbortSignal, cause: unknown) =>
  late.aborted
    ? `The ledger at ${url.host} did not answer within ${ANSWER_WITHIN_MS / 1_000} seconds`
    : `The ledger at ${url.host} did not answer: ${unreachable(url, cause)}`;
