import type { PendingRpcRequest } from '@solana/kit';
import { isLedgerAnswer, type LedgerRpc } from '@legwork/program-client/history';
import { unless } from '../waiting.js';
import type { Metrics } from './metrics.js';

type Call = (...args: unknown[]) => PendingRpcRequest<unknown>;

/** Measures every request that the RPC sends, and waits for none once `givenUp` is aborted. */
export function measureLedger(
  rpc: LedgerRpc,
  { ledgerRequests }: Pick<Metrics, 'ledgerRequests'>,
  givenUp: AbortSignal,
): LedgerRpc {
  const measured = (method: string, request: PendingRpcRequest<unknown>): PendingRpcRequest<unknown> => ({
    ...request,
    async send(options) {
      const end = ledgerRequests.startTimer({ method });
      try {
        const answer = await unless(givenUp, request.send(options));
        end({ outcome: 'answered' });
        return answer;
      } catch (error) {
        end({ outcome: isLedgerAnswer(error) ? 'refused' : 'unanswered' });
        throw error;
      }
    },
  });
  return new Proxy(rpc, {
    get(target, method, receiver) {
      const call: unknown = Reflect.get(target, method, receiver);
      if (typeof method !== 'string' || typeof call !== 'function') return call;
      return (...args: unknown[]) => measured(method, (call as Call)(...args));
    },
  });
}
