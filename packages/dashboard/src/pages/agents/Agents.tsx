import { type AgentOrder, type ListedAgent, pagePath } from '@legwork/protocol/contract';
import { type Input, useList } from '../../data/service.js';
import { Choice, Filters, TextFilter, useFilters } from '../../ui/Filters.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Table } from '../../ui/Table.js';
import { COLUMNS } from './columns.js';

/** Beside the order in which those come first that earned most. */
const ORDERS: Readonly<Record<Exclude<AgentOrder, 'earned'>, string>> = {
  reliability: 'Most reliable',
  completed: 'Most legs done',
  recent: 'Last paid',
  newest: 'Last registered',
};

/** Whom each order has: the others would all stand at its end. */
const LISTED: Readonly<Record<AgentOrder, string>> = {
  earned: 'Agents that were paid',
  recent: 'Agents that were paid',
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
      <Heading title="Agents" />
      <Filters>
        <TextFilter name="q" label="Agent" hint="Name or key" />
        <Choice name="order" label="Order" otherwise="Earned most" words={ORDERS} />
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
  if (q !== undefined) return <Empty>No name and no key here begins like this.</Empty>;
  return <Empty>{order === 'newest' ? 'No agent has registered yet.' : 'No agent has been paid yet.'}</Empty>;
}
