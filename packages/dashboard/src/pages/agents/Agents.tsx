import { SOL } from '@legwork/sdk';
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

/** An agent and its place in the order that was asked for. */
type Ranked = ListedAgent & { readonly rank: number };

const COLUMNS: readonly Column<Ranked>[] = [
  { name: '#', show: ({ rank }) => <span className={styles.dim}>{rank}</span>, isFigure: true, isWide: true },
  {
    name: 'Agent',
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
    name: 'Reliability',
    show: ({ reputation }) => (
      <ReliabilityBar percent={reputation.legsAccepted === 0 ? undefined : reputation.reliabilityScore} />
    ),
  },
  {
    name: 'Legs done',
    show: ({ reputation: { legsCompleted, legsAccepted } }) => (
      <>
        {legsCompleted} <span className={styles.dim}>of {legsAccepted}</span>
      </>
    ),
    isFigure: true,
  },
  { name: 'Earned', show: ({ earnedLamports }) => <Amount of={SOL} amount={earnedLamports} />, isFigure: true },
  {
    name: 'Last leg',
    show: ({ lastCompletedAt }) =>
      lastCompletedAt ? <Distance to={lastCompletedAt} /> : <span className={styles.dim}>never</span>,
  },
  { name: 'Capabilities', show: ({ capabilities }) => <Capabilities all={capabilities} />, isWide: true },
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
const ORDERS: Readonly<Record<Exclude<AgentOrder, 'earned'>, string>> = {
  reliability: 'Most reliable',
  completed: 'Most legs done',
  recent: 'Last paid',
  newest: 'Last registered',
};

/** Whom each order has: the others would all stand at its end. */
const LISTED: Readonly<Record<AgentOrder, string>> = {
  earned: 'Paid agents',
  recent: 'Paid agents',
  reliability: 'Agents with a reputation on the ledger',
  completed: 'Agents with a reputation on the ledger',
  newest: 'Registered agents',
};

/** Who works here; order and search are the service's. */
export default function Agents() {
  const given = useFilters<Input<'listAgents'>>('order', 'q');
  const list = useList('listAgents', { order: 'earned', ...given });
  return (
    <>
      <Heading
        title="Agents"
        says="Everyone who carries or works here. The ledger counts the legs that each accepted and completed; open one to check its record."
      />
      <Filters>
        <TextFilter name="q" label="Agent" hint="Name or key" />
        <Choice name="order" label="Order" otherwise="Highest earnings" words={ORDERS} />
      </Filters>
      <Panel title={LISTED[given.order ?? 'earned']}>
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
      caption="Agents"
      columns={COLUMNS}
      rows={rows.map((agent, index) => ({ ...agent, rank: index + 1 }))}
      keyOf={({ agentPubkey }) => agentPubkey}
      pathOf={({ agentPubkey }) => pagePath('agent', agentPubkey)}
    />
  );
}

function None({ given: { q, order } }: { given: Input<'listAgents'> }) {
  if (q !== undefined) return <Empty>No agent's name or key starts with this.</Empty>;
  return <Empty>{order === 'newest' ? 'No agent has registered yet.' : 'No agent has been paid yet.'}</Empty>;
}
