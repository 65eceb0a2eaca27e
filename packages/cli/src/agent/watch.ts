import { followEvents, type LegworkEvent, serviceConfig } from '@legwork/sdk';
import type { Agent } from './agent.js';
import { wordsOf } from './eventWords.js';
import { kindOf } from './exits.js';
import type { Shown } from './output.js';

interface WatchInput {
  readonly id?: string;
  readonly since?: number;
  readonly mine?: true;
}

/** How what was followed ended: well, or not. */
const ENDS: Partial<Record<LegworkEvent['type'], Pick<Shown, 'exit'>>> = {
  PACKAGE_DELIVERED: {},
  TASK_COMPLETED: {},
  PACKAGE_FAILED: { exit: 1 },
  TASK_FAILED: { exit: 1 },
};

/** The events of the service in words, until it is interrupted; of one listing until its end, from the first one on. Rule A-176. */
export async function* watch(agent: Agent, { id, since, mine }: WatchInput): AsyncGenerator<Shown> {
  const own = mine && (await agent.pubkey());
  const from = since ?? (id === undefined ? undefined : 0);
  const { service: url } = agent.settings;
  const about = id === undefined ? {} : { [await kindOf(agent, id)]: id };
  const { assets } = await serviceConfig(agent.client);
  for await (const event of followEvents({ url, ...about, ...(from !== undefined && { since: from }) })) {
    const end = id === undefined ? undefined : ENDS[event.type];
    if (own !== undefined && end === undefined && !isOf(event, own)) continue;
    const time = event.occurredAt.toISOString().slice(0, 19).replace('T', ' ');
    yield { data: event, text: `${String(event.seq).padStart(6)}  ${time}  ${wordsOf(event, assets)}`, ...end };
    if (end !== undefined) return;
  }
}

/** Reports whether the event names the wallet. */
function isOf(event: LegworkEvent, pubkey: string): boolean {
  return (
    ('agentPubkey' in event && event.agentPubkey === pubkey) ||
    ('shipperPubkey' in event && event.shipperPubkey === pubkey)
  );
}
