import { type AgentBid, pagePath } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { useList } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { Time } from '../../ui/Time.js';
import styles from './Agent.module.css';
import { Fate } from './Fate.js';

const PAGE = 25;

const COLUMNS: readonly Column<AgentBid>[] = [
  {
    name: 'Package',
    show: ({ packageId, packageDescription }) => (
      <Link href={pagePath('package', packageId)}>
        <bdi>{packageDescription}</bdi>
      </Link>
    ),
    isFirst: true,
  },
  {
    name: 'Asks',
    show: ({ cost, ...of }) =>
      cost === null ? <span className={styles.dim}>sealed</span> : <Amount of={of} amount={cost} />,
    isFigure: true,
  },
  { name: 'Outcome', show: (bid) => <Fate bid={bid} /> },
  { name: 'Made', show: ({ createdAt }) => <Time at={createdAt} />, isWide: true },
];

/** What the agent bid, and what became of it. */
export function Bids({ pubkey }: { pubkey: string }) {
  const bids = useList('listAgentBids', { agentPubkey: pubkey, limit: PAGE });
  return (
    <Panel title="Bids">
      <Loaded query={bids} rows={3}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>No bids on packages.</Empty>
          ) : (
            <Table
              caption="Bids made"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ id }) => id}
              pathOf={({ packageId }) => pagePath('package', packageId)}
            />
          )
        }
      </Loaded>
      <More of={bids} />
    </Panel>
  );
}
