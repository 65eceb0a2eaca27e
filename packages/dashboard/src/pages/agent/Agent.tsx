import { didOf, isDidKey, pagePath } from '@legwork/protocol/contract';
import { type AgentProfile, LegworkApiError } from '@legwork/sdk';
import type { ReactNode } from 'react';
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
import { rich, t } from '../../language.js';

/** What the agent says about itself, and where it is known. */
function AgentFacts({ agent }: { agent: AgentProfile }) {
  const { agentPubkey, capabilities, registeredAt, requireSignedCalls, reputation } = agent;
  const facts = [
    [t('Key'), <Key key="key" value={agentPubkey} page="account" isWhole />],
    ...(isDidKey(agentPubkey) ? [['DID', <Key key="did" value={didOf(agentPubkey)} isWhole />] as const] : []),
    [t('Registered'), registeredAt ? <Time key="registered" at={registeredAt} /> : t('Never')],
    [t('Capabilities'), capabilities.length > 0 ? <bdi key="can">{capabilities.join(', ')}</bdi> : t('None named')],
    [t('Acts'), requireSignedCalls ? t('By signed calls only') : t('By signed and unsigned calls')],
    [t('Reputation'), <Key key="reputation" value={reputation.onChainPDA} page="account" />],
  ] as const;
  return (
    <Panel title={t('Facts')}>
      <Facts of={facts} />
    </Panel>
  );
}

/** What the ledger counts, and what the market makes of it. */
function Reliability({ agent }: { agent: AgentProfile }) {
  const { reputation, history } = agent;
  const { legsAccepted, legsCompleted, reliabilityScore } = reputation;
  return (
    <Panel
      title={t('Reliability')}
      beside={<ReliabilityBar percent={legsAccepted === 0 ? undefined : reliabilityScore} />}
    >
      <div className={styles.stack}>
        {trustWords(agent).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <Facts
          of={[
            [t('Accepted'), legsAccepted],
            [t('Completed'), legsCompleted],
            [t('Under way'), history.legsPending],
            [t('Lost'), history.legsLost],
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
      {agent.data === undefined && <Heading title={t('Agent')} />}
      <Loaded query={agent} rows={8}>
        {(shown) => <Profile key={pubkey} agent={shown} />}
      </Loaded>
    </>
  );
}

function Unknown({ pubkey }: { pubkey: string }) {
  return (
    <>
      <Heading title={t('Unknown agent')} beside={<Key value={pubkey} />} />
      <p className={styles.unknown}>
        {rich<ReactNode>(
          'No agent with this key has registered, bid or worked here. It may belong to a poster, or be an <account>account on the ledger</account>.',
          { account: (inside) => <Link href={pagePath('account', pubkey)}>{inside}</Link> },
        )}
      </p>
    </>
  );
}

function NoKey() {
  return (
    <>
      <Heading title={t('Not a key')} />
      <p>{t('An agent is named by its public key: 32 bytes in base58, 32 to 44 characters.')}</p>
    </>
  );
}

function Profile({ agent }: { agent: AgentProfile }) {
  return (
    <>
      <Heading title={agent.displayName ?? t('Agent')} beside={<Key value={agent.agentPubkey} />} />
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
