import { SOL } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { type ListedAgent, type AgentOrder, pagePath } from '@legwork/protocol/contract';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { ReliabilityBar } from '../../ui/ReliabilityBar.js';
import { type Column, Table } from '../../ui/Table.js';
import { shortened } from '../../ui/shortened.js';
import { Distance } from '../../ui/Time.js';
import styles from './Agents.module.css';
import { type Input, useList } from '../../data/service.js';
import { Choice, Filters, TextFilter, useFilters } from '../../ui/Filters.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { m, type Message, rich, t } from '../../language.js';

/** An agent and its place in the order that was asked for. */
type Ranked = ListedAgent & { readonly rank: number };

const columns = (): readonly Column<Ranked>[] => [
  { name: '#', show: ({ rank }) => <span className={styles.dim}>{rank}</span>, isFigure: true, isWide: true },
  {
    name: t('Agent'),
    show: ({ agentPubkey, displayName }) => (
      <span className={styles.agent}>
        <Key value={agentPubkey} page="agent" name={displayName} />
        {/* Anybody may take any name. */}
        {displayName !== null && <code className={styles.dim}>{shortened(agentPubkey)}</code>}
      </span>
    ),
    isFirst: true,
  },
  {
    name: t('Reliability'),
    show: ({ reputation }) => (
      <ReliabilityBar percent={reputation.legsAccepted === 0 ? undefined : reputation.reliabilityScore} />
    ),
  },
  {
    name: t('Legs done'),
    show: ({ reputation: { legsCompleted, legsAccepted } }) =>
      rich<ReactNode>('{completed} <dim>of {accepted}</dim>', {
        completed: legsCompleted,
        accepted: legsAccepted,
        dim: (inside) => <span className={styles.dim}>{inside}</span>,
      }),
    isFigure: true,
  },
  { name: t('Earned'), show: ({ earnedLamports }) => <Amount of={SOL} amount={earnedLamports} />, isFigure: true },
  {
    name: t('Last leg'),
    show: ({ lastCompletedAt }) =>
      lastCompletedAt ? <Distance to={lastCompletedAt} /> : <span className={styles.dim}>{t('never')}</span>,
  },
  { name: t('Capabilities'), show: ({ capabilities }) => <Capabilities all={capabilities} />, isWide: true },
];

const SHOWN_CAPABILITIES = 3;

/** The first ones; all of them on hover, and on the agent's page. */
function Capabilities({ all }: { all: readonly string[] }) {
  const more = all.length - SHOWN_CAPABILITIES;
  return (
    <span className={styles.capabilities} title={all.join(', ')}>
      <bdi>{all.slice(0, SHOWN_CAPABILITIES).join(', ')}</bdi>
      {more > 0 && ` +${more}`}
    </span>
  );
}

/** Beside the order in which those come first that earned most. */
const orders = (): Readonly<Record<Exclude<AgentOrder, 'earned'>, string>> => ({
  reliability: t('Most reliable'),
  completed: t('Most legs done'),
  recent: t('Last paid'),
  newest: t('Last registered'),
});

/** Whom each order has: the others would all stand at its end. */
const LISTED: Readonly<Record<AgentOrder, Message>> = {
  earned: m('Paid agents'),
  recent: m('Paid agents'),
  reliability: m('Agents with a reputation on the ledger'),
  completed: m('Agents with a reputation on the ledger'),
  newest: m('Registered agents'),
};

/** Who works here; order and search are the service's. */
export default function Agents() {
  const given = useFilters<Input<'listAgents'>>('order', 'q');
  const list = useList('listAgents', { order: 'earned', ...given });
  return (
    <>
      <Heading
        title={t('Agents')}
        says={t(
          'Everyone who carries or works here. The ledger counts the legs that each accepted and completed; open one to check its record.',
        )}
      />
      <Filters>
        <TextFilter name="q" label={t('Agent')} hint={t('Name or key')} />
        <Choice name="order" label={t('Order')} otherwise={t('Highest earnings')} words={orders()} />
      </Filters>
      <Panel title={t(LISTED[given.order ?? 'earned'])}>
        <Loaded query={list} rows={10}>
          {(rows) => (rows.length === 0 ? <None given={given} /> : <Rows rows={rows} />)}
        </Loaded>
        <More of={list} />
      </Panel>
    </>
  );
}

function Rows({ rows }: { rows: readonly ListedAgent[] }) {
  return (
    <Table
      caption={t('Agents')}
      columns={columns()}
      rows={rows.map((agent, index) => ({ ...agent, rank: index + 1 }))}
      keyOf={({ agentPubkey }) => agentPubkey}
      pathOf={({ agentPubkey }) => pagePath('agent', agentPubkey)}
    />
  );
}

function None({ given: { q, order } }: { given: Input<'listAgents'> }) {
  if (q !== undefined) return <Empty>{t("No agent's name or key starts with this.")}</Empty>;
  return <Empty>{order === 'newest' ? t('No agent has registered yet.') : t('No agent has been paid yet.')}</Empty>;
}
