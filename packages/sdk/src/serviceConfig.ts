import type { AnswerOf, operations } from '@legwork/protocol/contract';
import type { RelayClient } from './client.js';

/** What the service says about itself: program, ledger, coordinator, limits. */
export type ServiceConfig = AnswerOf<(typeof operations)['getConfig']>;

const known = new WeakMap<RelayClient, Promise<ServiceConfig>>();

/** The service's configuration, read once a client: it does not change while the service runs. */
export function serviceConfig(client: RelayClient): Promise<ServiceConfig> {
  const asked = known.get(client);
  if (asked !== undefined) return asked;
  const answer = client.getConfig();
  known.set(client, answer);
  // A failure is not remembered.
  answer.catch(() => known.delete(client));
  return answer;
}
