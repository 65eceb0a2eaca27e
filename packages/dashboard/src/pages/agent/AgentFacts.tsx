import { didOf, isDidKey } from '@legwork/protocol/contract';
import type { AgentProfile } from '@legwork/sdk';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';

/** What the agent says about itself, and where it is known. */
export function AgentFacts({ agent }: { agent: AgentProfile }) {
  const { agentPubkey, capabilities, registeredAt, requireSignedCalls, reputation } = agent;
  const facts = [
    ['Key', <Key key="key" value={agentPubkey} page="account" isWhole />],
    ...(isDidKey(agentPubkey) ? [['DID', <Key key="did" value={didOf(agentPubkey)} isWhole />] as const] : []),
    ['Registered', registeredAt ? <Time key="registered" at={registeredAt} /> : 'It never did'],
    ['Capabilities', capabilities.length > 0 ? <bdi key="can">{capabilities.join(', ')}</bdi> : 'None named'],
    ['Acts', requireSignedCalls ? 'With its signature only' : 'Also by unsigned calls'],
    ['Reputation', <Key key="reputation" value={reputation.onChainPDA} page="account" />],
  ] as const;
  return (
    <Panel title="Facts">
      <Facts of={facts} />
    </Panel>
  );
}
