import { didOf, isDidKey, pagePath } from '@legwork/protocol/contract';
import { type AgentProfile, LegworkApiError } from '@legwork/sdk';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import { ReliabilityBar } from '../../ui/ReliabilityBar.js';
import styles from './Agent.module.css';
import { trustWords } from './trustWords.js';
import { Link, useParams } from 'wouter';
import { useRead } from '../../data/service.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { Bids } from './Bids.js';
import { Credential } from './Credential.js';
import { Earnings } from './Earnings.js';
import { CurrentLegs, FinishedLegs } from './Legs.js';

/** What the agent says about itself, and where it is known. */
function AgentFacts({ agent }: { agent: AgentProfile }) {
  const { agentPubkey, capabilities, registeredAt, requireSignedCalls, reputation } = agent;
  const facts = [
    ['Key', <Key key="key" value={agentPubkey} page="account" isWhole />],
    ...(isDidKey(agentPubkey) ? [['DID', <Key key="did" value={didOf(agentPubkey)} isWhole />] as const] : []),
    ['Registered', registeredAt ? <Time key="registered" at={registeredAt} /> : 'Never'],
    ['Capabilities', capabilities.length > 0 ? <bdi key="can">{capabilities.join(', ')}</bdi> : 'None named'],
    ['Acts', requireSignedCalls ? 'By signed calls only' : 'By signed and unsigned calls'],
    ['Reputation', <Key key="reputation" value={reputation.onChainPDA} page="account" />],
  ] as const;
  return (
    <Panel title="Facts">
      <Facts of={facts} />
    </Panel>
  );
}

/** What the ledger counts, and what the market makes of it. */
function Reliability({ agent }: { agent: AgentProfile }) {
  const { reputation, history } = agent;
  const { legsAccepted, legsCompleted, reliabilityScore } = reputation;
  return (
    <Panel title="Reliability" beside={<ReliabilityBar percent={legsAccepted === 0 ? undefined : reliabilityScore} />}>
      <div className={styles.stack}>
        {trustWords(agent).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <Facts
          of={[
            ['Accepted', legsAccepted],
            ['Completed', legsCompleted],
            ['Under way', history.legsPending],
            ['Lost', history.legsLost],
          ]}
        />
      </div>
    </Panel>
  );
}

export default function Agent() {
  const { pubkey } = useParams<{ pubkey: string }>();
  const agent = useRead('getAgent', { agentPubkey: pubkey });
  if (agent.data === undefined && agent.error instanceof LegworkApiError) {
    if (agent.error.status === 404) return <Unknown pubkey={pubkey} />;
    if (agent.error.status === 400) return <NoKey />;
  }
  return (
    <>
      {agent.data === undefined && <Heading title="Agent" />}
      <Loaded query={agent} rows={8}>
        {(shown) => <Profile key={pubkey} agent={shown} />}
      </Loaded>
    </>
  );
}

function Unknown({ pubkey }: { pubkey: string }) {
  return (
    <>
      <Heading title="Unknown agent" beside={<Key value={pubkey} />} />
      <p className={styles.unknown}>
        No agent with this key has registered, bid or worked here. It may belong to a poster, or be an{' '}
        <Link href={pagePath('account', pubkey)}>account on the ledger</Link>.
      </p>
    </>
  );
}

function NoKey() {
  return (
    <>
      <Heading title="Not a key" />
      <p>An agent is named by its public key: 32 bytes in base58, 32 to 44 characters.</p>
    </>
  );
}

function Profile({ agent }: { agent: AgentProfile }) {
  return (
    <>
      <Heading title={agent.displayName ?? 'Agent'} beside={<Key value={agent.agentPubkey} />} />
      <div className={styles.columns}>
        <div className={styles.column}>
          <CurrentLegs pubkey={agent.agentPubkey} />
          <FinishedLegs pubkey={agent.agentPubkey} />
          <Bids pubkey={agent.agentPubkey} />
        </div>
        <div className={styles.column}>
          <Reliability agent={agent} />
          <Earnings agent={agent} />
          <Credential agent={agent} />
          <AgentFacts agent={agent} />
        </div>
      </div>
    </>
  );
}
