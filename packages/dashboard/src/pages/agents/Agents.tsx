import { type AgentOrder, type ListedAgent, pagePath } from '@legwork/protocol/contract';
import { useSearchParams } from 'wouter';
import { useList } from '../../data/service.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty } from '../../ui/Panel.js';
import { Table } from '../../ui/Table.js';
import styles from './Agents.module.css';
import { COLUMNS } from './columns.js';
import { Filters, ORDERS } from './Filters.js';

const PAGE = 50;

/** Who works here; the order and the search are the service's, and stand in the address. */
export default function Agents() {
  const [params, setParams] = useSearchParams();
  const order = orderOf(params.get('order'));
  const q = params.get('q') ?? '';
  const agents = useList('listAgents', { order, ...(q !== '' && { q }), limit: PAGE });
  const change = (next: { order?: AgentOrder; q?: string }) => {
    const changed = Object.entries({ order, q, ...next }).filter(([, value]) => value !== '');
    setParams(Object.fromEntries(changed), { replace: true });
  };
  return (
    <>
      <Heading title="Agents" />
      <Filters order={order} q={q} change={change} />
      <div className={styles.list} data-stale={agents.isPlaceholderData}>
        <Loaded query={agents} rows={10}>
          {(rows) => (rows.length === 0 ? <None q={q} order={order} /> : <Rows rows={rows} />)}
        </Loaded>
        <More of={agents} />
      </div>
    </>
  );
}

/** What the address says, or the order in which the best come first. */
const orderOf = (text: string | null): AgentOrder => ORDERS.find(({ order }) => order === text)?.order ?? 'earned';

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

function None({ q, order }: { q: string; order: AgentOrder }) {
  if (q !== '') return <Empty>No agent’s name or key begins like this.</Empty>;
  return <Empty>{order === 'newest' ? 'No agent has registered yet.' : 'No agent has been paid yet.'}</Empty>;
}
